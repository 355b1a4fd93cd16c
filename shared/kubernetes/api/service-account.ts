/** The access of a pod to its own cluster: the files that the kubelet mounts, and replaces before they expire. */
import { realpath } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { monotonic } from "#shared/base/clock.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { noAnswer } from "./api-error.ts";
import type { ClusterAccess, Credentials } from "./cluster-access.ts";

/** The kubelet replaces a token when a fifth of its time is left, so that this age is never too old. */
const maxAgeMs = 60_000;
const maxTokenBytes = 65_536;
const maxAuthorityBytes = 1_048_576;

export interface ServiceAccountOptions {
	/** The folder with `token` and `ca.crt`; default: the one of every pod. */
	readonly folder?: string;
	/** The values of `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. */
	readonly host: string;
	readonly port: string;
}

/** It reads both files again each minute. */
export class ServiceAccount implements ClusterAccess {
	readonly server: URL;
	readonly #folder: string;
	#read: { readonly at: number; readonly credentials: Promise<Credentials> } | undefined;

	constructor({ folder = "/var/run/secrets/kubernetes.io/serviceaccount", host, port }: ServiceAccountOptions) {
		this.#folder = folder;
		this.server = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
	}

	credentials(): Promise<Credentials> {
		const known = this.#read;
		if (known && monotonic() - known.at < maxAgeMs) return known.credentials;
		const credentials = this.#readFiles();
		const read = { at: monotonic(), credentials };
		this.#read = read;
		credentials.catch(() => {
			if (this.#read === read) this.#read = undefined;
		});
		return credentials;
	}

	renew(): void {
		this.#read = undefined;
	}

	async #readFiles(): Promise<Credentials> {
		const [token, ca] = await Promise.all([
			this.#textOf("token", maxTokenBytes),
			this.#textOf("ca.crt", maxAuthorityBytes),
		]);
		return { headers: { authorization: `Bearer ${token}` }, tls: { ca }, secrets: [token] };
	}

	async #textOf(name: string, maxBytes: number): Promise<string> {
		const content = await this.#contentOf(name, maxBytes).catch(() => undefined);
		const text = content?.toString("utf8").trim() ?? "";
		if (text !== "") return text;
		throw noAnswer(
			"NoCredentials",
			`The file "${join(this.#folder, name)}" of the pod's service account cannot be read`,
		);
	}

	/** The files are links to a folder that the kubelet replaces, so that it may be gone between two steps. */
	async #contentOf(name: string, maxBytes: number): Promise<Buffer | undefined> {
		for (let attempt = 1; attempt <= 3; attempt++) {
			const content = await readUntrusted(await realpath(join(this.#folder, name)), maxBytes);
			if (content) return content;
		}
		return undefined;
	}
}
