/** Single requests to the HTTP API of Vault or OpenBao (Vault HTTP API, "API"), with bounds. */
import { readBounded } from "#shared/base/bounded-read.ts";
import { deadline } from "#shared/base/clock.ts";

/** The longest time of a request, in milliseconds. */
const requestMs = 10_000;
/** The bound on an answer; a credential has at most 32 KB, and its owner at most a few hundred names. */
const maxAnswerBytes = 1_048_576;
const maxSentence = 300;

/** Vault has refused a request. The message has the words of Vault, and nothing of the request. */
export class VaultRefusal extends Error {
	override readonly name = "VaultRefusal";
	readonly status: number;
	/** The object of the answer. */
	readonly value: object;

	constructor(status: number, value: object) {
		const words = wordsIn(value);
		super(`Vault has refused a request (${status})${words === "" ? "" : `: ${words}`}`);
		this.status = status;
		this.value = value;
	}
}

export interface VaultPlace {
	/** The URL of the server, without `/v1`. */
	readonly url: string;
	/** The namespace (Vault Enterprise, OpenBao); empty: the root. */
	readonly namespace: string;
}

export class VaultRequests {
	readonly #place: VaultPlace;

	constructor(place: VaultPlace) {
		this.#place = place;
	}

	/**
	 * Resolves to the object of the answer; an empty one where there is none.
	 * @param path The path after `/v1/`, whose parts are encoded already.
	 * @throws {VaultRefusal} for every status but 2xx; {Error} when the server does not answer.
	 */
	async send(method: "GET" | "LIST" | "POST" | "DELETE", path: string, body?: object, token?: string): Promise<object> {
		const { url, namespace } = this.#place;
		const response = await fetch(`${url}/v1/${path}`, {
			method,
			redirect: "error",
			headers: {
				// Vault asks for it, so that a browser cannot be made to send requests.
				"x-vault-request": "true",
				...(namespace !== "" && { "x-vault-namespace": namespace }),
				...(token !== undefined && { "x-vault-token": token }),
				...(body !== undefined && { "content-type": "application/json" }),
			},
			signal: deadline(requestMs),
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const value = objectIn(await textOf(response));
		if (!response.ok) throw new VaultRefusal(response.status, value);
		return value;
	}
}

async function textOf({ body }: Response): Promise<string> {
	if (!body) return "";
	const tooLarge = () => new Error(`Vault has answered more than ${maxAnswerBytes} bytes`);
	return (await readBounded(body, { maxBytes: maxAnswerBytes, tooLarge })).toString("utf8");
}

function objectIn(text: string): object {
	if (text === "") return {};
	try {
		const value: unknown = JSON.parse(text);
		return value instanceof Object ? value : {};
	} catch {
		return {};
	}
}

function wordsIn(value: object): string {
	const { errors } = value as { readonly errors?: unknown };
	return Array.isArray(errors) ? errors.map(String).join("; ").slice(0, maxSentence) : "";
}
