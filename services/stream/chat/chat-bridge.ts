/**
 * The chat of sessions at the gateway: each connection of a client is bridged to a connection of the gateway to the
 * session's pod. The pod's key is used on the latter and no client ever sees it; the client's token stays in this
 * process (docs/chat.md).
 */
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { bound } from "#shared/base/bounds.ts";
import type { WebSocket } from "ws";
import type { Principal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { every, sleep, type Timer } from "#shared/base/clock.ts";
import type { Action } from "#shared/contracts/contract.ts";
import { ownSubprotocol, tokenSubprotocol } from "#shared/contracts/chat-subprotocols.ts";
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import {
	ConflictError,
	ForbiddenError,
	NotFoundError,
	TooManyRequestsError,
	UnavailableError,
} from "#shared/base/errors.ts";
import type { FrameRate } from "#shared/net/http/frame-budget.ts";
import { webSocketServer } from "#shared/net/http/websockets.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { UpgradeRequest } from "#host/platform.ts";
import { agentSocketUrl } from "#shared/wire/pod/agent-url.ts";
import { chatPath, contractChatPath, maxFrameBytes } from "#shared/wire/pod/frames.ts";
import { ChatPipe } from "./chat-pipe.ts";
import { FrameBudgets } from "./frame-budgets.ts";
import { connectToPod } from "./pod-connection.ts";

export interface ChatBridgeDependencies {
	readonly key: InstallationKey;
	/** The hosts beside loopback at which pods may listen. Default none. */
	readonly hosts?: readonly string[];
	/**
	 * The interval of checks, in milliseconds: both sides are pinged, and sessions are checked for running. Default 30
	 * s.
	 */
	readonly checkMs?: number;
	/** The most connections of all sessions. */
	readonly maxClients?: number;
	/** The most connections of one person. */
	readonly maxClientsPerPerson?: number;
	/** The frames and bytes of a session in a second, both ways; default: that of {@link FrameBudgets}. */
	readonly frameRate?: FrameRate | undefined;
}

/** A counted connection, including one that is still being opened. */
interface Taken {
	readonly principal: Principal;
	readonly sessionId: string;
}

interface Bridged extends Taken {
	readonly pipe: ChatPipe;
	readonly generation: number;
}

/** The most sessions that are checked at the same time. */
const checksAtOnce = 8;
/** The time for the closing handshakes with clients, in milliseconds. */
const goodbyeMs = 2_000;
/** The timeout of a check, in milliseconds; a check without an answer has no effect. */
const askMs = 5_000;

const goingAway = 1001;

/** All bridged connections of one process. The stream part starts and drains it. */
export class ChatBridge {
	readonly #dependencies: ChatBridgeDependencies;
	readonly #server = webSocketServer({
		maxPayload: maxFrameBytes,
		clientTracking: false,
		handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(tokenSubprotocol)) ?? false,
	});
	readonly #budgets: FrameBudgets;
	readonly #bridged = new Set<Bridged>();
	readonly #opening = new Set<Taken>();
	readonly #emptied = new AbortController();
	#caller: Caller | undefined;
	#checks: Timer | undefined;
	#isEnding = false;
	#isChecking = false;

	constructor(dependencies: ChatBridgeDependencies) {
		this.#dependencies = dependencies;
		this.#budgets = new FrameBudgets(dependencies.frameRate);
	}

	/** Begins the checks; call this when the bus is connected. */
	start(caller: Caller): void {
		this.#caller = caller;
		this.#checks = every(this.#dependencies.checkMs ?? 30_000, () => void this.#check());
	}

	get size(): number {
		return this.#bridged.size;
	}

	/**
	 * Connects to the pod and then upgrades the client's connection.
	 * @throws {ServiceError} before the upgrade, when the caller has no such session, it does not run, or there are too
	 * many clients.
	 */
	async open(upgrade: UpgradeRequest): Promise<void> {
		const { session_id: id, principal, requestId, signal } = upgrade;
		this.#refuseTooMany(principal, id);
		const taken = { principal, sessionId: id };
		this.#opening.add(taken);
		try {
			const { generation, address } = await this.#ask(principal, id, requestId);
			const key = this.#dependencies.key.platformKey(id, generation);
			const path = offersOwnProtocol(upgrade) ? chatPath : contractChatPath;
			const pod = await connectToPod(agentSocketUrl(address, path, this.#dependencies.hosts), key, signal);
			if (this.#isEnding || signal.aborted) return pod.terminate();
			this.#upgrade(upgrade, pod, generation);
		} finally {
			this.#opening.delete(taken);
		}
	}

	/** Closes the connections of all clients. */
	async drain(): Promise<void> {
		this.#isEnding = true;
		for (const { pipe } of this.#bridged) pipe.close(goingAway, "The platform is ending; connect again");
		if (this.#bridged.size > 0) await sleep(goodbyeMs, this.#emptied.signal);
	}

	stop(): void {
		this.#isEnding = true;
		this.#checks?.cancel();
		for (const { pipe } of this.#bridged) pipe.terminate();
	}

	#upgrade(upgrade: UpgradeRequest, pod: WebSocket, generation: number): void {
		const { request, socket, head, principal, session_id } = upgrade;
		let pipe: ChatPipe | undefined;
		this.#server.handleUpgrade(request, socket, head, (client) => {
			pipe = new ChatPipe(client, pod, {
				changeModel: (model) => this.#changeModel(principal, session_id, model),
				isOwnDialect: offersOwnProtocol(upgrade),
				budgets: (closed) => this.#budgets.take(session_id, JSON.stringify([principal.tenant, principal.id]), closed),
			});
			this.#add({ pipe, principal, sessionId: session_id, generation });
		});
		// The client has disconnected meanwhile.
		if (!pipe) pod.terminate();
	}

	#add(bridged: Bridged): void {
		this.#bridged.add(bridged);
		void bridged.pipe.closed.then(() => {
			this.#bridged.delete(bridged);
			if (this.#isEnding && this.#bridged.size === 0) this.#emptied.abort();
		});
	}

	/** Refuses a connection beyond the bounds. @throws {UnavailableError | TooManyRequestsError} */
	#refuseTooMany(principal: Principal, id: string): void {
		if (this.#isEnding) throw new UnavailableError("The process is ending");
		const { maxClients = bound.chats, maxClientsPerPerson = bound.chatsOfOne } = this.#dependencies;
		const taken = [...this.#bridged, ...this.#opening];
		if (taken.length >= maxClients) throw new UnavailableError("There are too many chats");
		if (taken.filter(({ sessionId }) => sessionId === id).length >= bound.chatsOfSession)
			throw new UnavailableError(`The session has ${bound.chatsOfSession} connections, which is the limit`);
		const own = taken.filter((one) => one.principal.tenant === principal.tenant && one.principal.id === principal.id);
		if (own.length >= maxClientsPerPerson)
			throw new TooManyRequestsError(`You have ${maxClientsPerPerson} chats, which is the limit`, "TOO_MANY_CHATS");
	}

	/**
	 * Closes connections with a silent side, and those of sessions that no longer run or that the client may no longer
	 * use.
	 */
	async #check(): Promise<void> {
		for (const { pipe } of this.#bridged) pipe.checkAlive();
		if (this.#isChecking) return;
		this.#isChecking = true;
		// A session is checked once for all connections of one person.
		const groups = Map.groupBy(this.#bridged, ({ sessionId, principal }) => JSON.stringify([sessionId, principal]));
		const checks = new FairQueue({ atOnce: checksAtOnce });
		await Promise.all(groups.values().map((bridged) => checks.run("", () => this.#checkSession(bridged))));
		this.#isChecking = false;
	}

	/** @param bridged All connections of one person to one session. */
	async #checkSession(bridged: readonly Bridged[]): Promise<void> {
		const [first] = bridged;
		if (!first) return;
		const { principal, sessionId } = first;
		const running = await this.#ask(principal, sessionId).catch((error: unknown) =>
			isOver(error) ? undefined : "unknown",
		);
		if (running === "unknown") return;
		for (const { pipe, generation } of bridged)
			if (running?.generation !== generation) pipe.close(goingAway, "The session does not run any more");
	}

	#changeModel(principal: Principal, session_id: string, model: string) {
		return this.#call(principal, sessions.actions.update, { session_id, model });
	}

	#ask(principal: Principal, session_id: string, requestId?: string) {
		return this.#call(principal, sessionControl.actions.chat, { session_id }, requestId);
	}

	async #call<I, R>(
		principal: Principal,
		action: Action<I, unknown, R>,
		params: NoInfer<I> & { readonly session_id: string },
		request_id = `chat-${params.session_id}`,
	) {
		if (!this.#caller) throw new UnavailableError("The platform is starting");
		return call(this.#caller, action, params, { meta: { request_id, principal: vouch(principal) }, timeout: askMs });
	}
}

function offersOwnProtocol({ request }: UpgradeRequest): boolean {
	const offered = request.headers["sec-websocket-protocol"] ?? "";
	return offered.split(",").some((name) => name.trim() === ownSubprotocol);
}

/** Whether the error means that the session has ended for this caller; other errors say nothing about the session. */
function isOver(error: unknown): boolean {
	return error instanceof NotFoundError || error instanceof ConflictError || error instanceof ForbiddenError;
}
