/**
 * The steps of a request for a WebSocket, in the order of the request chain: Host and Origin, route, handshake,
 * authentication. Then the module that bridges the connection takes over. Until it has upgraded the connection, every
 * failure is a plain HTTP answer.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Principal } from "#shared/base/principal.ts";
import { after } from "#shared/base/clock.ts";
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import { TimeoutError, UnavailableError } from "#shared/base/errors.ts";
import type { UpgradeHandler } from "#host/platform.ts";
import type { Answer } from "./http/answer.ts";
import type { Authenticator } from "./callers/authenticate.ts";
import { failureAnswer, unforeseen } from "./http/http-errors.ts";
import { stripIdentityHeaders } from "./callers/identity-headers.ts";
import { messageOf, type RefusalNotes } from "./callers/refusal-notes.ts";
import type { StandingWatch } from "./callers/standing-watch.ts";
import type { RequestLimits } from "./callers/request-limits.ts";
import type { OriginGuard } from "#shared/net/http/origin-guard.ts";
import { requestIdOf } from "./http/request-id.ts";
import { refuseBadHandshake, sessionOf, withToken } from "./http/websocket-handshake.ts";

interface UpgradeChainDependencies {
	readonly guard: Pick<OriginGuard, "check">;
	readonly authenticator: Authenticator;
	readonly limits: Pick<RequestLimits, "count">;
	readonly watch: Pick<StandingWatch, "add">;
	readonly refusals?: Pick<RefusalNotes, "note"> | undefined;
	/** Upgrade handlers by the name of their action. */
	readonly upgradeHandlers: ReadonlyMap<string, UpgradeHandler>;
	/** Receives every unexpected error. */
	readonly report: (error: unknown, requestId: string) => void;
}

const { chat } = sessionControl.actions;

/** The longest time from the end of the request's headers to the upgrade, in milliseconds. */
const overallMs = 10_000;
/** How long the rest of a refused request is discarded, in milliseconds. */
const leftoverMs = 1_000;

/** The chain of one gateway; it has no state. */
export class UpgradeChain {
	readonly #dependencies: UpgradeChainDependencies;

	constructor(dependencies: UpgradeChainDependencies) {
		this.#dependencies = dependencies;
	}

	/** Upgrades or refuses the connection; never rejects. */
	async handle(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
		const requestId = requestIdOf(request);
		const given = new AbortController();
		socket.on("error", () => socket.destroy());
		socket.once("close", () => given.abort());
		let sender: Principal | undefined;
		const refuse = (error: unknown): void => {
			this.#note(request, sender, error, requestId);
			this.#refuse(socket, given, error, requestId);
		};
		const bound = after(overallMs, () => refuse(new TimeoutError("The session's pod took too long")));
		try {
			const { guard, authenticator, limits, watch, upgradeHandlers } = this.#dependencies;
			guard.check(request.headers);
			const session_id = sessionOf(request.url ?? "");
			refuseBadHandshake(request);
			const { socket: connection, rawHeaders: received } = request;
			const claim = { headers: { ...withToken(request) }, received, connection, path: { session_id } };
			const identified = (found: Principal): void => {
				sender = found;
				limits.count(found);
			};
			const principal = await authenticator.authenticate(claim, chat, { identified });
			stripIdentityHeaders(request.headers);
			const handler = upgradeHandlers.get(chat.name);
			if (!handler) throw new UnavailableError("Chats are not available");
			await handler({ request, socket, head, principal, session_id, requestId, signal: given.signal });
			const authenticate = () => authenticator.authenticate(claim, chat, { known: principal });
			const forget = watch.add({ principal, authenticate, end: () => socket.destroy() });
			if (socket.destroyed) forget();
			else socket.once("close", forget);
		} catch (error) {
			refuse(error);
		} finally {
			bound.cancel();
		}
	}

	#note({ url = "", socket }: IncomingMessage, sender: Principal | undefined, error: unknown, requestId: string): void {
		if (!sender || failureAnswer(error, () => "path")?.status !== 403) return;
		const { remoteAddress: address = "" } = socket;
		const about = { action: chat.name, resource: `sessions/${sessionOf(url)}`, request_id: requestId, address };
		this.#dependencies.refusals?.note({ principal: sender, reason: messageOf(error), ...about });
	}

	#refuse(socket: Duplex, given: AbortController, error: unknown, requestId: string): void {
		if (given.signal.aborted) return;
		given.abort();
		const foreseen = failureAnswer(error, () => "path");
		if (!foreseen) this.#dependencies.report(error, requestId);
		// Closing the connection before the request is read would destroy the answer on its way.
		socket.end(asBytes(foreseen ?? unforeseen, requestId)).resume();
		const cut = after(leftoverMs, () => socket.destroy());
		socket.once("close", () => cut.cancel());
	}
}

function asBytes({ status, body = "", headers = [] }: Answer, requestId: string): Buffer {
	const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Connection: close", `X-Request-ID: ${requestId}`];
	for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
	lines.push("Cache-Control: no-store", "X-Content-Type-Options: nosniff", "Content-Type: application/json");
	lines.push(`Content-Length: ${Buffer.byteLength(body)}`, "", "");
	return Buffer.concat([Buffer.from(lines.join("\r\n")), Buffer.from(body)]);
}
