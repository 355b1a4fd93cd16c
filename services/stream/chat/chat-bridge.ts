/**
 * The chat of sessions at the gateway: each connection of a client is bridged to one of its own at the session's pod,
 * with the pod's key, which no client ever sees; the client's token goes no further than this process (docs/chat.md).
 */
import { type WebSocket, WebSocketServer } from "ws";
import type { Principal } from "#shared/bus/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { every, sleep, type Timer } from "#shared/clock.ts";
import { sessionControl } from "#shared/contracts/session-control.ts";
import {
	ConflictError,
	ForbiddenError,
	NotFoundError,
	TooManyRequestsError,
	UnavailableError,
} from "#shared/errors.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import type { UpgradeRequest } from "#shared/platform.ts";
import { chatPath, contractChatPath, maxFrameBytes } from "#shared/pod/frames.ts";
import { ChatPipe } from "./chat-pipe.ts";
import { connectToPod } from "./pod-connection.ts";

export interface ChatBridgeOptions {
	readonly key: InstallationKey;
	/** How often both sides are asked whether they live, and sessions whether they still run. Default 30 s. */
	readonly checkMs?: number;
	/** Connections of all sessions. Default 1,000. */
	readonly maxClients?: number;
	/** Connections of one person. Default 256. */
	readonly maxClientsPerPerson?: number;
}

/** A connection, also one that is being opened. */
interface Taken {
	readonly principal: Principal;
	readonly sessionId: string;
}

interface Bridged extends Taken {
	readonly pipe: ChatPipe;
	readonly generation: number;
}

const maxClientsPerSession = 16;
/** Sessions that are asked about at the same time. */
const checksAtOnce = 8;
/** How long the last words to clients may take. */
const goodbyeMs = 2_000;
/** A check of a session that is not answered by then says nothing. */
const askMs = 5_000;

const goingAway = 1001;
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";
/** Offered by clients that read this platform's own form of frames; others get the contract's. */
const ownProtocol = "atelier.chat";

export class ChatBridge {
	readonly #options: ChatBridgeOptions;
	readonly #server = new WebSocketServer({
		noServer: true,
		maxPayload: maxFrameBytes,
		perMessageDeflate: false,
		clientTracking: false,
		// One frame of each client in a turn of the event loop: a piece of 64 KB can hold 9,000 of them.
		allowSynchronousEvents: false,
		handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(tokenProtocol)) ?? false,
	});
	readonly #bridged = new Set<Bridged>();
	readonly #opening = new Set<Taken>();
	readonly #emptied = new AbortController();
	#caller: Caller | undefined;
	#checks: Timer | undefined;
	#isEnding = false;
	#isChecking = false;

	constructor(options: ChatBridgeOptions) {
		this.#options = options;
	}

	/** To be called when the bus is there. */
	start(caller: Caller): void {
		this.#caller = caller;
		this.#checks = every(this.#options.checkMs ?? 30_000, () => void this.#check());
	}

	get size(): number {
		return this.#bridged.size;
	}

	/**
	 * Upgrades the connection when the pod's is there.
	 * @throws {ServiceError} instead, when there is no such session for the caller, none that runs, or too many clients.
	 */
	async open(upgrade: UpgradeRequest): Promise<void> {
		const { session_id: id, principal, requestId, signal } = upgrade;
		this.#refuseTooMany(principal, id);
		const taken = { principal, sessionId: id };
		this.#opening.add(taken);
		try {
			const { generation, address } = await this.#ask(principal, id, requestId);
			const key = this.#options.key.platformKey(id, generation);
			const pod = await connectToPod(address, offersOwnProtocol(upgrade) ? chatPath : contractChatPath, key, signal);
			if (this.#isEnding || signal.aborted) return pod.terminate();
			this.#upgrade(upgrade, pod, generation);
		} finally {
			this.#opening.delete(taken);
		}
	}

	/** Says goodbye to all clients. */
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

	#upgrade({ request, socket, head, principal, session_id }: UpgradeRequest, pod: WebSocket, generation: number): void {
		let pipe: ChatPipe | undefined;
		this.#server.handleUpgrade(request, socket, head, (client) => {
			pipe = new ChatPipe(client, pod);
			this.#add({ pipe, principal, sessionId: session_id, generation });
		});
		// The client was gone by then.
		if (!pipe) pod.terminate();
	}

	#add(bridged: Bridged): void {
		this.#bridged.add(bridged);
		void bridged.pipe.closed.then(() => {
			this.#bridged.delete(bridged);
			if (this.#isEnding && this.#bridged.size === 0) this.#emptied.abort();
		});
	}

	/** @throws {UnavailableError} {TooManyRequestsError} */
	#refuseTooMany(principal: Principal, id: string): void {
		if (this.#isEnding) throw new UnavailableError("The process is ending");
		const { maxClients = 1_000, maxClientsPerPerson = 256 } = this.#options;
		const taken = [...this.#bridged, ...this.#opening];
		if (taken.length >= maxClients) throw new UnavailableError("There are too many chats");
		if (taken.filter(({ sessionId }) => sessionId === id).length >= maxClientsPerSession)
			throw new UnavailableError(`The session has ${maxClientsPerSession} connections and takes no more`);
		const own = taken.filter((one) => one.principal.tenant === principal.tenant && one.principal.id === principal.id);
		if (own.length >= maxClientsPerPerson)
			throw new TooManyRequestsError(`You have ${maxClientsPerPerson} chats and get no more`, "TOO_MANY_CHATS");
	}

	/** Closes those whose side has gone silent, and those of sessions that do not run any more, or not for them. */
	async #check(): Promise<void> {
		for (const { pipe } of this.#bridged) pipe.checkAlive();
		if (this.#isChecking) return;
		this.#isChecking = true;
		// Connections of one person to one session are asked about once.
		const left = Map.groupBy(this.#bridged, ({ sessionId, principal }) =>
			JSON.stringify([sessionId, principal]),
		).values();
		const worker = async () => {
			for (const bridged of left) await this.#checkSession(bridged);
		};
		await Promise.all(Array.from({ length: checksAtOnce }, worker));
		this.#isChecking = false;
	}

	/** @param bridged All of one person and session. */
	async #checkSession(bridged: readonly Bridged[]): Promise<void> {
		const [first] = bridged;
		if (!first) return;
		const { principal, sessionId } = first;
		const running = await this.#ask(principal, sessionId, `chat-${sessionId}`).catch((error: unknown) =>
			isOver(error) ? undefined : "unknown",
		);
		if (running === "unknown") return;
		for (const { pipe, generation } of bridged)
			if (running?.generation !== generation) pipe.close(goingAway, "The session does not run any more");
	}

	#ask(principal: Principal, session_id: string, requestId: string) {
		if (!this.#caller) throw new UnavailableError("The platform is starting");
		const meta = { request_id: requestId, principal: vouch(principal) };
		return call(this.#caller, sessionControl.actions.chat, { session_id }, { meta, timeout: askMs });
	}
}

function offersOwnProtocol({ request }: UpgradeRequest): boolean {
	const offered = request.headers["sec-websocket-protocol"] ?? "";
	return offered.split(",").some((name) => name.trim() === ownProtocol);
}

/** Anything else says nothing about the session. */
function isOver(error: unknown): boolean {
	return error instanceof NotFoundError || error instanceof ConflictError || error instanceof ForbiddenError;
}
