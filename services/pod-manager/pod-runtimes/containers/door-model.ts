/**
 * The model of one session in a container, on the platform's side of its door: it adds the provider's key, which never enters the
 * container, admits calls by the budget, and books them. The records of usage are in the launch's run folder, which no session reaches.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { accountedCalls } from "#shared/model-proxy/books/accounted-calls.ts";
import { BudgetGate } from "#shared/model-proxy/books/budget-gate.ts";
import { UsageReporter } from "#shared/model-proxy/books/usage-reporter.ts";
import { UsageSpool } from "#shared/model-proxy/books/usage-spool.ts";
import type { HeldBytes } from "#shared/model-proxy/held-bytes.ts";
import { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import { ModelCalls } from "#shared/model-proxy/model-calls.ts";
import { PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";
import type { PlatformAccess } from "#shared/model-proxy/platform/platform-link.ts";
import { ProxyError } from "#shared/model-proxy/proxy-error.ts";
import { watchNothing } from "#shared/model-proxy/provider/watched-call.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";

/** The parts of its session that the model needs. */
export interface DoorModelDependencies {
	readonly session: PlatformAccess & { readonly generation: number; readonly budgeted: boolean };
	/** The access with the provider's key; undefined when only the books are left to be closed. */
	readonly access: ModelAccess | undefined;
	/** Resolves to the access to the model that the session has now; undefined when it cannot be used. @throws {Error} */
	readonly presentAccess: () => Promise<ModelAccess | undefined>;
	/** The path of the file with what is not reported yet. */
	readonly spool: string;
	/** Counts the bodies of all sessions of this process. */
	readonly held: HeldBytes;
}

/** Owns the calls and the books of one session. */
export class DoorModel {
	readonly #dependencies: DoorModelDependencies;
	readonly #spool: UsageSpool;
	readonly #client: PlatformClient;
	readonly #usage: UsageReporter;
	readonly #gate: BudgetGate;
	readonly #calls: ModelCalls | undefined;
	readonly #leave: () => void;
	/** Ends the wait for a turn when another one is asked for: a session has one turn at a time. */
	#waiting: AbortController | undefined;
	#hasFollowed = false;
	readonly #following = new SingleFlight(
		async () => void (this.#hasFollowed = await this.#followPresent()),
		() => void (this.#hasFollowed = false),
	);

	private constructor(dependencies: DoorModelDependencies, spool: UsageSpool) {
		const { session, access, held } = dependencies;
		this.#dependencies = dependencies;
		this.#spool = spool;
		const log = new LogBuffer([session.pod_token]);
		// The agent ends itself for these reasons; what is used is reported in any case.
		this.#client = new PlatformClient(session, log, { onStale() {}, onLost() {} });
		const meter = new TokenMeter();
		this.#usage = new UsageReporter(spool, session.generation, { client: this.#client, log, meter });
		const model = () => this.#calls?.access.model;
		this.#gate = new BudgetGate({ launch: session, log, reported: () => this.#usage.reported(), model });
		const accounted = accountedCalls(this.#gate, this.#usage);
		this.#calls = access && new ModelCalls({ access, log, held, watchCall: watchNothing, ...accounted });
		this.#leave = held.enter();
	}

	/** Delivers first what an earlier process could not. */
	static async open(dependencies: DoorModelDependencies): Promise<DoorModel> {
		return new DoorModel(dependencies, await UsageSpool.open(dependencies.spool));
	}

	/** Answers a call. @param url The path and query behind the place of the model. */
	answer(request: IncomingMessage, response: ServerResponse, url: string): void {
		if (this.#calls) this.#calls.take(request, response, url, () => refuseWebPages(request));
		else response.writeHead(404, { connection: "close" }).end();
	}

	/** Resolves when a turn may begin. @throws {Error} when the signal aborts or another turn is asked for. */
	async turnBegins(leaving: AbortSignal): Promise<void> {
		this.#waiting?.abort();
		const waiting = new AbortController();
		this.#waiting = waiting;
		await this.#gate.pass(undefined, AbortSignal.any([leaving, waiting.signal]));
		this.#usage.began();
	}

	turnEnded(): void {
		this.#usage.ended();
		this.#gate.ended();
	}

	/** Makes further calls with the model that the session has at the platform. Whether that is possible before the next launch. */
	async follow(): Promise<boolean> {
		this.#following.request();
		await this.#following.settled();
		return this.#hasFollowed;
	}

	/**
	 * Ends the calls, and resolves soon with whether the platform has all usage, or will not have it: a session that was deleted
	 * takes none. The rest waits in the file.
	 */
	async close(): Promise<boolean> {
		this.#waiting?.abort();
		await this.#calls?.close();
		await this.#usage.drain();
		await this.#gate.close();
		const isDelivered = this.#spool.isEmpty || this.#client.last === "forbidden";
		this.#client.close();
		await this.#usage.close();
		this.#leave();
		return isDelivered;
	}

	async #followPresent(): Promise<boolean> {
		const access = await this.#dependencies.presentAccess();
		return access !== undefined && this.#calls?.use(access) === true;
	}
}

/** A page in a browser of the session must not call the model. */
function refuseWebPages({ headers }: IncomingMessage): void {
	if (headers.origin !== undefined) throw new ProxyError(403, "Requests of web pages are not answered");
}
