/** One request through the proxy, sent with the provider's key, and its response, which the meter reads on its way. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { every, monotonic } from "#shared/base/clock.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { type PooledRequest, Unanswered } from "./provider/connection-pool.ts";
import { cutToJsonBytes } from "#shared/base/answer-size.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { type CallBody, countBody, readCallBody } from "./call-body.ts";
import { decoders } from "./metering/content-decoders.ts";
import { callerOutlet } from "./caller-outlet.ts";
import { CallerPresence, type Listening } from "./caller-presence.ts";
import { BookedCall } from "./metering/booked-call.ts";
import { callerHeaders, providerHeaders } from "./provider/forwarded-headers.ts";
import { type Metered, meteredBody } from "./metering/metered-body.ts";
import type { AskingCall, CallBounds, CallUnderWay, MeteredCall } from "./metering/metered-call.ts";
import { pathOfModel } from "./naming/named-model.ts";
import type { OtherModels } from "./naming/other-models.ts";
import type { ProviderLink } from "./provider/provider-link.ts";
import { errorText } from "./provider/provider-error.ts";
import { providerName } from "./provider/provider-name.ts";
import { bodyWithoutSecrets, oneLine, wordsOf } from "./provider/provider-words.ts";
import { ProxyError, refusalIn } from "./proxy-error.ts";
import type { ProxyLimits } from "./proxy-limits.ts";
import type { ProxyRoute } from "./proxy-route.ts";
import type { RequestBodies } from "./request-bodies.ts";
import { type WatchCall, type WatchedCall, watchNothing } from "./provider/watched-call.ts";

/** The dependencies and the state that all exchanges of a proxy share. */
export interface ExchangeDependencies {
	/** The access for the next exchange; those under way keep theirs. */
	access: ModelAccess;
	readonly link: ProviderLink;
	readonly bodies: RequestBodies;
	readonly limits: ProxyLimits;
	readonly log: LogBuffer;
	/** Receives each call that reached the provider once, before its caller learns that it is over. */
	readonly onCall: (call: MeteredCall) => void;
	/** Receives the usage of a call before its end. A call that a budget pays is sent after this resolves. */
	readonly onBegun: (call: CallUnderWay) => Promise<void>;
	/** Tells whether a budget applies. Calls then keep to the terms in `terms/`, and unreported usage is estimated. */
	readonly isLimited: () => boolean;
	/** Resolves with a sentence when the call is refused. The signal aborts when its caller has left. */
	readonly admit: (call: AskingCall, leaving: AbortSignal) => Promise<string | undefined>;
	readonly watchCall: WatchCall;
	/** Whether the calls go to another proxy, which adds the key, books them and says for itself why it refuses some. */
	readonly isRelay?: boolean;
	readonly listening: Listening;
	otherModels: OtherModels;
	/** Whether the provider is known to refuse the request for a stream's usage. */
	refusesUsageRequest: boolean;
	/** The number of calls that were answered without usage. */
	unmetered: number;
}

/** The bound on a failure's sentence, in bytes of JSON. */
const maxFailureBytes = 1_000;
const own = "model-proxy";

export class CallExchange {
	readonly #dependencies: ExchangeDependencies;
	readonly #access: ModelAccess;
	readonly #route: ProxyRoute;
	readonly #request: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #presence: CallerPresence;
	/** The provider's name in sentences. */
	readonly #provider: string;
	readonly #watch: WatchedCall;

	constructor(
		dependencies: ExchangeDependencies,
		route: ProxyRoute,
		request: IncomingMessage,
		response: ServerResponse,
	) {
		this.#dependencies = dependencies;
		this.#access = dependencies.access;
		this.#route = route;
		this.#request = request;
		this.#response = response;
		this.#presence = new CallerPresence(response, dependencies.listening);
		this.#provider = providerName(dependencies.access, route.wire);
		this.#watch = route.kind === "call" ? dependencies.watchCall() : watchNothing();
	}

	/** Resolves when the response has ended in any way. @throws {ProxyError} while nothing was answered. */
	async run(): Promise<void> {
		try {
			await this.#dependencies.bodies.with(this.#request, async (bytes) => {
				if (this.#route.kind === "call") await this.#call(bytes);
				else await this.#relay(await this.#send(countBody(this.#route, bytes, this.#access.model)));
			});
		} catch (error) {
			if (this.#presence.left.aborted) this.#watch.left();
			else if (isRefusedByBudget(error)) this.#watch.refused(error.message);
			else this.#failed(error instanceof ProxyError ? error.message : "The model proxy has failed");
			throw error;
		}
	}

	#failed(sentence: string): void {
		this.#watch.over(cutToJsonBytes(this.#dependencies.log.withoutSecrets(sentence), maxFailureBytes));
	}

	#failedWithin(words: string): void {
		this.#failed(`${this.#provider} answered with an error: ${oneLine(this.#dependencies.log.withoutSecrets(words))}`);
	}

	async #call(bytes: Buffer): Promise<void> {
		const { admit, isLimited, otherModels } = this.#dependencies;
		const { wire } = this.#route;
		const { model } = this.#access;
		const { headers } = this.#request;
		const body = readCallBody(this.#route, bytes, { model, isLimited: isLimited(), headers });
		const { bounds } = body;
		otherModels.add(body.named);
		const id = randomUUID();
		const refusal = await admit({ id, wire, model, bounds }, this.#presence.left);
		if (refusal !== undefined) throw new ProxyError(402, refusal);
		const booked = this.#booked(id, bounds);
		try {
			this.#presence.wantsEnd = bounds !== undefined;
			await booked.begin();
			await this.#answer(body, booked);
		} catch (error) {
			booked.end(0, this.#presence.left.aborted ? "left" : "broken", mayBeReceived(error));
			throw error;
		}
	}

	#booked(id: string, bounds: CallBounds | undefined): BookedCall {
		const { onCall, onBegun } = this.#dependencies;
		const { model, provider, location, context_window: contextWindow } = this.#access;
		return new BookedCall({
			call: { id, wire: this.#route.wire, model, provider, location },
			bounds,
			contextWindow,
			onBegun,
			onOver: (call) => {
				this.#warn(call);
				onCall(call);
				this.#presence.end();
			},
			onFailure: (words) => this.#failedWithin(words),
		});
	}

	/** Sends an admitted call and passes its answer on. */
	async #answer(body: CallBody, booked: BookedCall): Promise<void> {
		const { answer, isChanged } = await this.#sendCall(body);
		const { isStreaming } = body;
		const onEnd = (end: MeteredCall["end"]): void => booked.end(answer.statusCode ?? 0, end);
		await this.#relay(answer, { meter: booked.meter, isStreaming, isChanged, onEnd });
	}

	/** @returns The response, and whether the proxy asked for the usage in the place of the caller. */
	async #sendCall(body: CallBody): Promise<{ answer: IncomingMessage; isChanged: boolean }> {
		const { asking, bytes } = body;
		const dependencies = this.#dependencies;
		if (!asking || dependencies.refusesUsageRequest) return { answer: await this.#send(bytes), isChanged: false };
		const answer = await this.#send(asking);
		if (answer.statusCode !== 400 && answer.statusCode !== 422) return { answer, isChanged: true };
		// The provider may not know the option, so the call is repeated without it and without usage.
		answer.destroy();
		const again = await this.#send(bytes);
		dependencies.refusesUsageRequest = (again.statusCode ?? 0) < 300;
		return { answer: again, isChanged: false };
	}

	#send(body: Buffer): Promise<IncomingMessage> {
		const { link } = this.#dependencies;
		const access = this.#access;
		const { wire, kind } = this.#route;
		const request: PooledRequest = {
			url: `${access.endpoints[wire]}${pathOfModel(this.#route, access.model)}`,
			method: "POST",
			// Every call costs, so it must not be sent twice.
			isRepeatable: kind !== "call",
			headers: providerHeaders(this.#request.headers, wire, access.key),
			body,
			signal: this.#presence.over,
		};
		return link.send(request, this.#provider);
	}

	/** @throws {ProxyError} when the response cannot be passed on. */
	async #relay(answer: IncomingMessage, metering?: Metering): Promise<void> {
		const status = answer.statusCode ?? 502;
		const refusal = this.#refusalOf(status, answer);
		if (refusal) {
			answer.destroy();
			metering?.onEnd("whole");
			throw refusal;
		}
		const encoding = answer.headers["content-encoding"] ?? "identity";
		const headers = callerHeaders(answer.headers, (text) => this.#dependencies.log.withoutSecrets(text) !== text);
		if (status >= 400) {
			await this.#relayError(answer, decoders(encoding, this.#provider), headers);
			metering?.onEnd("whole");
			return;
		}
		const length = answer.headers["content-length"];
		const isAsSent = encoding === "identity" && length !== undefined;
		this.#response.writeHead(status, isAsSent ? { ...headers, "content-length": length } : headers);
		this.#response.flushHeaders();
		await this.#pass(answer, decoders(encoding, this.#provider), metering);
	}

	/** Returns why an answer is not passed on; undefined when it is. */
	#refusalOf(status: number, { headers }: IncomingMessage): ProxyError | undefined {
		if (status >= 300 && status < 400) return new ProxyError(502, `${this.#provider} redirects, which is not followed`);
		return this.#dependencies.isRelay ? refusalIn(status, headers) : undefined;
	}

	async #pass(answer: IncomingMessage, decoding: Duplex[], metering?: Metering): Promise<void> {
		const metered = metering && meteredBody(answer.headers, metering);
		const stages = metered ? [...decoding, metered] : decoding;
		const end = (how: MeteredCall["end"], cause?: unknown): void => {
			metering?.onEnd(how);
			this.#watchEnd(how, metering?.meter.received, cause);
		};
		// This happens before the caller learns of the end, so that the usage of a response that was read completely is
		// in the books.
		const breakOff = (cause: unknown): void => {
			metered?.breakOff();
			end(this.#presence.left.aborted ? "left" : "broken", cause);
		};
		for (const stage of [answer, ...stages]) stage.once("error", breakOff);
		metered?.once("end", () => end("whole"));
		this.#watch.answering();
		const watch = this.#watchIdle(answer);
		try {
			await pipeline([answer, ...stages, this.#presence.wantsEnd ? callerOutlet(this.#response) : this.#response]);
		} catch (error) {
			breakOff(error);
		} finally {
			watch.cancel();
		}
	}

	/** A caller that leaves in the middle of a response has had one: some leave as soon as they have what they need. */
	#watchEnd(how: MeteredCall["end"], received: number | undefined, cause: unknown): void {
		if (how === "broken")
			this.#failed(cause instanceof ProxyError ? cause.message : `${this.#provider} broke off its answer`);
		else if (received !== 0) this.#watch.over();
		else if (how === "left") this.#watch.left();
		else this.#failed(`${this.#provider} answered with nothing`);
	}

	/** An error of the provider may contain the key. */
	async #relayError(answer: IncomingMessage, stages: Duplex[], headers: OutgoingHttpHeaders): Promise<void> {
		const said = `${this.#provider} answered ${answer.statusCode}`;
		const { log } = this.#dependencies;
		const text = bodyWithoutSecrets(await errorText(answer, stages, said), (part) => log.withoutSecrets(part));
		const clean = Buffer.from(text);
		const words = wordsOf(text);
		this.#failed(words === "" ? said : `${said}: ${words}`);
		this.#response.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": clean.length });
		this.#response.end(clean);
	}

	#watchIdle(answer: IncomingMessage): ReturnType<typeof every> {
		const { idleMs } = this.#dependencies.limits;
		let seen = answer.socket.bytesRead;
		let since = monotonic();
		return every(Math.ceil(idleMs / 4), () => {
			const { bytesRead } = answer.socket;
			if (bytesRead !== seen) [seen, since] = [bytesRead, monotonic()];
			else if (monotonic() - since >= idleMs)
				answer.destroy(new ProxyError(504, `${this.#provider} has paused for too long`));
		});
	}

	#warn({ wire, model, counts, isEstimated, status, end }: MeteredCall): void {
		const dependencies = this.#dependencies;
		const { log } = dependencies;
		const about = `a call of "${model}" (${wire})`;
		if (status >= 400) log.add("WARNING", own, `The model provider answered ${status} to ${about}`);
		else if (status === 0 && end === "broken") log.add("WARNING", own, `The model provider gave no answer to ${about}`);
		else if (end === "broken") log.add("WARNING", own, `The model provider broke off its answer to ${about}`);
		if (isEstimated)
			log.add("WARNING", own, `The usage of ${about}, ${end}, was not reported completely: it is estimated`);
		if (status < 200 || status >= 300 || counts) return;
		dependencies.unmetered++;
		const sum = `${dependencies.unmetered} so far`;
		log.add(
			"WARNING",
			own,
			`The model provider reported no usage of ${about}, ${end}: it is not in the books (${sum})`,
		);
	}
}

interface Metering extends Metered {
	/** The meter has seen everything that will come. Only the first call counts. */
	onEnd: (end: MeteredCall["end"]) => void;
}

function isRefusedByBudget(error: unknown): error is ProxyError {
	return error instanceof ProxyError && error.status === 402;
}

function mayBeReceived(error: unknown): boolean {
	const cause = error instanceof ProxyError ? error.cause : error;
	return !(cause instanceof Unanswered) || cause.mayBeReceived;
}
