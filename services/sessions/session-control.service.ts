/** Wires interrupts, permissions and the address of the chat to the bus; the rules are in session-control.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import type { SessionControl } from "./pod/session-control.ts";

export function sessionControlService(control: SessionControl): ServiceSchema {
	return {
		name: sessionControl.name,
		actions: implement(sessionControl, {
			interrupt: ({ session_id }, principal) => control.interrupt(principal, session_id),
			permissions: ({ session_id }, principal) => control.permissions(principal, session_id),
			answer_permission: ({ session_id, request_id, ...answer }, principal) =>
				control.answer(principal, session_id, request_id, answer),
			mode: ({ session_id }, principal) => control.mode(principal, session_id),
			set_mode: ({ session_id, mode }, principal) => control.setMode(principal, session_id, mode),
			publish: ({ session_id, ...order }, principal) => control.publish(principal, session_id, order),
			chat: ({ session_id }, principal) => control.chat(principal, session_id),
		}),
	};
}
