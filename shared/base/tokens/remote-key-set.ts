/**
 * The keys of an OpenID issuer, read from its key set (RFC 7517) and kept up to date: new keys are found when a token
 * names one, and a key that the issuer has withdrawn is forgotten with the next reading.
 */
import type { JWK } from "jose";
import { baseUrl } from "../base-url.ts";
import { readBounded } from "../bounded-read.ts";
import { deadline, monotonic } from "../clock.ts";
import { isLoopback } from "../hosts/loopback.ts";
import { UnavailableError } from "../errors.ts";
import { SingleFlight } from "../concurrency/single-flight.ts";
import {
	importPublicKey,
	isPublicAlgorithm,
	keyAmong,
	type KeySource,
	type VerificationKey,
} from "./verification-keys.ts";

export interface RemoteKeySetOptions {
	readonly issuer: string;
	/** The address of the key set; absent: the issuer's discovery document names it. */
	readonly jwksUri?: string | undefined;
	/** Receives the reason of each failed reading. */
	readonly onError?: ((error: unknown) => void) | undefined;
	/** Is called after each successful reading. */
	readonly onRead?: (() => void) | undefined;
}

/** A set is used for this time without being read again, in milliseconds: a withdrawn key works no longer than this. */
const freshMs = 300_000;
/** A set is used for this time while the issuer does not answer, in milliseconds. */
const staleMs = 3_600_000;
/** The least time between two readings, in milliseconds: unknown names of keys cause no flood of requests. */
const pauseMs = 10_000;
const readMs = 3_000;
const maxBytes = 256 * 1024;
const maxKeys = 100;

interface KnownKey {
	/** The key as its set describes it. */
	readonly text: string;
	readonly key: VerificationKey;
}

/** The key set of one issuer. It holds no connection open. */
export class RemoteKeySet implements KeySource {
	readonly #options: RemoteKeySetOptions;
	readonly #reading: SingleFlight;
	#known: readonly KnownKey[] = [];
	#keys: readonly VerificationKey[] = [];
	/** The time of the last successful reading on the monotonic clock. */
	#readAt = Number.NEGATIVE_INFINITY;
	#triedAt = Number.NEGATIVE_INFINITY;

	constructor(options: RemoteKeySetOptions) {
		this.#options = options;
		this.#reading = new SingleFlight(
			() => this.#read(),
			(error) => options.onError?.(error),
		);
	}

	async find(alg: string, kid: string | undefined): Promise<VerificationKey | undefined> {
		if (!isPublicAlgorithm(alg)) return undefined;
		if (monotonic() - this.#readAt > freshMs) await this.#refresh();
		const known = keyAmong(this.#keys, alg, kid);
		if (known || kid === undefined) return known;
		await this.#refresh();
		return keyAmong(this.#keys, alg, kid);
	}

	/** Reads the set again unless that was tried just now. @throws {UnavailableError} when no set is usable. */
	async #refresh(): Promise<void> {
		if (this.#reading.isRunning || monotonic() - this.#triedAt >= pauseMs) {
			// A failure is reported once, by the reading itself; while the last set is usable, it goes on with that.
			await this.#reading.join().catch(() => {});
		}
		if (monotonic() - this.#readAt > staleMs) throw new UnavailableError("The identity provider does not answer");
	}

	async #read(): Promise<void> {
		this.#triedAt = monotonic();
		const signal = deadline(readMs);
		const uri = this.#options.jwksUri ?? (await discoveredUri(this.#options.issuer, signal));
		const found = await Promise.all(jwksIn(await fetchJson(uri, signal)).map((jwk) => this.#imported(jwk)));
		this.#known = found.filter((one) => one !== undefined);
		this.#keys = this.#known.map(({ key }) => key);
		this.#readAt = monotonic();
		this.#options.onRead?.();
	}

	/** Imports a key; the same object as before for a key that was known. A key that cannot be imported is left out. */
	async #imported(jwk: JWK): Promise<KnownKey | undefined> {
		const text = JSON.stringify(jwk);
		const known = this.#known.find((one) => one.text === text);
		if (known) return known;
		const key = await importPublicKey(jwk).catch(() => undefined);
		return key && { text, key };
	}
}

/** Reads the address of the key set from the issuer's own description (OpenID Connect Discovery 4). */
async function discoveredUri(issuer: string, signal: AbortSignal): Promise<string> {
	const described = await fetchJson(`${baseUrl(issuer)}/.well-known/openid-configuration`, signal);
	const { issuer: named, jwks_uri: uri } = described;
	if (named !== issuer) throw new Error(`The identity provider calls itself ${JSON.stringify(named)}`);
	if (typeof uri !== "string" || !isTrustedAddress(uri))
		throw new Error("The identity provider names no usable key set");
	return uri;
}

/**
 * Whether keys from this address can be trusted: nobody on the way can replace them. A `data:` URL is the key set itself,
 * for an issuer that the platform does not reach.
 */
export function isTrustedAddress(text: string): boolean {
	const url = URL.parse(text);
	if (url === null || url.username !== "" || url.password !== "") return false;
	return ["https:", "data:"].includes(url.protocol) || (url.protocol === "http:" && isLoopback(url.hostname));
}

async function fetchJson(uri: string, signal: AbortSignal): Promise<Record<string, unknown>> {
	const response = await fetch(uri, { signal, redirect: "error", headers: { accept: "application/json" } });
	if (response.status !== 200 || response.body === null) {
		await response.body?.cancel();
		throw new Error(`The identity provider answered ${response.status}`);
	}
	const tooLarge = () => new Error(`The identity provider sent more than ${maxBytes} bytes`);
	const value: unknown = JSON.parse((await readBounded(response.body, { maxBytes, tooLarge })).toString());
	if (typeof value !== "object" || value === null) throw new Error("The identity provider sent no JSON object");
	return { ...value };
}

function jwksIn({ keys }: Record<string, unknown>): JWK[] {
	if (!Array.isArray(keys)) throw new Error("The identity provider sent no key set");
	return keys.slice(0, maxKeys).filter((one) => typeof one === "object" && one !== null);
}
