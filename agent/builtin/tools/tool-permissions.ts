/** Whether a tool may do what it is about to do: asked once each time, unless the answer was "always" or nobody need be asked. */
import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { isJsonObject } from "../../io/json-object.ts";
import type { AcpClient } from "../acp-client.ts";
import type { PermissionNeed } from "./tool.ts";

/** `ask`: a person permits what changes something. `auto`: nobody is asked. */
export const sessionModes = ["ask", "auto"] as const;
export type SessionModeName = (typeof sessionModes)[number];

/** `cancelled`: the turn was cancelled while the question was open. */
export type Verdict = "allowed" | "rejected" | "cancelled";

export class ToolPermissions {
	mode: SessionModeName = "ask";
	readonly #client: AcpClient;
	/** Keys; they are forgotten with the process. */
	readonly #always = new Set<string>();

	constructor(client: AcpClient) {
		this.#client = client;
	}

	/** Whoever cannot be asked has not permitted it. */
	async ask(toolCall: ToolCallUpdate, { key, always }: PermissionNeed, signal: AbortSignal): Promise<Verdict> {
		if (signal.aborted) return "cancelled";
		if (this.mode === "auto" || this.#always.has(key)) return "allowed";
		const cancelled = Promise.withResolvers<Verdict>();
		const cancel = (): void => cancelled.resolve("cancelled");
		signal.addEventListener("abort", cancel);
		try {
			const request = { toolCall, options: optionsWith(always) };
			const answered = this.#client.requestPermission(request).then(
				({ outcome }) => this.#verdict(outcome, key),
				(): Verdict => "rejected",
			);
			return await Promise.race([cancelled.promise, answered]);
		} finally {
			signal.removeEventListener("abort", cancel);
		}
	}

	#verdict(outcome: unknown, key: string): Verdict {
		if (!isJsonObject(outcome)) return "rejected";
		if (outcome["outcome"] === "cancelled") return "cancelled";
		if (outcome["optionId"] === "allow_always") this.#always.add(key);
		return outcome["optionId"] === "allow_once" || outcome["optionId"] === "allow_always" ? "allowed" : "rejected";
	}
}

function optionsWith(always: string): PermissionOption[] {
	return [
		{ optionId: "allow_once", name: "Allow", kind: "allow_once" },
		{ optionId: "allow_always", name: always, kind: "allow_always" },
		{ optionId: "reject_once", name: "Reject", kind: "reject_once" },
	];
}
