/**
 * The access of a process outside the cluster, by a kubeconfig file with tokens, certificates or a program that makes credentials.
 * The official library reads it; it is loaded here only, because it takes most of a second and 65 MB.
 */
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { deadline, monotonic } from "#shared/base/clock.ts";
import { aborted } from "#shared/base/concurrency/aborted.ts";
import { ApiError, noAnswer } from "./api-error.ts";
import type { ClusterAccess, Credentials } from "./cluster-access.ts";

/** A program for credentials asks a server, or a person at first. */
const programMs = 30_000;
/** The file is not read again for so long, and its program not started again, however often the API refuses the caller. */
const renewalMs = 10_000;

export interface KubeconfigOptions {
	/** The path of the file. */
	readonly file: string;
	/** Default: the current context of the file. */
	readonly context?: string | undefined;
}

/** One context of a kubeconfig. */
export class Kubeconfig implements ClusterAccess {
	readonly server: URL;
	readonly #options: KubeconfigOptions;
	#config: KubeConfig;
	#isOutdated = false;
	#readAt = monotonic();
	/** Calls that come meanwhile wait for the same credentials, so that one program runs for all of them. */
	#made: Promise<Credentials> | undefined;

	private constructor(options: KubeconfigOptions, config: KubeConfig) {
		this.#options = options;
		this.#config = config;
		this.server = serverOf(config, options.file);
	}

	/** @throws {ApiError} `NoCredentials` for a file that cannot be used; its sentence quotes nothing of it. */
	static async open(options: KubeconfigOptions): Promise<Kubeconfig> {
		return new Kubeconfig(options, await configOf(options));
	}

	async credentials(): Promise<Credentials> {
		this.#made ??= this.#make().finally(() => (this.#made = undefined));
		const late = aborted(deadline(programMs));
		try {
			const made = await Promise.race([this.#made, late]);
			if (made) return made;
		} catch (error) {
			if (error instanceof ApiError) throw error;
		}
		throw unusable(this.#options.file, "names credentials that cannot be had");
	}

	renew(): void {
		this.#isOutdated = true;
	}

	async #make(): Promise<Credentials> {
		if (this.#isOutdated && monotonic() - this.#readAt >= renewalMs) {
			this.#isOutdated = false;
			this.#readAt = monotonic();
			this.#config = await configOf(this.#options);
		}
		return credentialsOf(this.#config);
	}
}

async function configOf({ file, context }: KubeconfigOptions): Promise<KubeConfig> {
	const { KubeConfig: Reader } = await import("@kubernetes/client-node");
	const config = new Reader();
	try {
		config.loadFromFile(file);
	} catch {
		// The library's sentence may quote the lines of the file, with their secrets.
		throw unusable(file, "cannot be read as a kubeconfig");
	}
	if (context !== undefined) config.setCurrentContext(context);
	return config;
}

/** The server has to be https, because the calls carry credentials. */
function serverOf(config: KubeConfig, file: string): URL {
	const cluster = config.getCurrentCluster();
	if (!cluster) throw unusable(file, "has no such context, or no cluster of it");
	if (cluster.proxyUrl !== undefined) throw unusable(file, "names a proxy, which is not supported");
	if (!URL.canParse(cluster.server) || new URL(cluster.server).protocol !== "https:")
		throw unusable(file, "names a server without https");
	return new URL(cluster.server);
}

/** @throws the library's error, whose sentence has everything that a program printed. */
async function credentialsOf(config: KubeConfig): Promise<Credentials> {
	const options: RequestOptions = {};
	await config.applyToHTTPSOptions(options);
	const headers = Object.fromEntries(
		Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
	if (typeof options.auth === "string")
		headers["authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
	const { ca, cert, key, servername, rejectUnauthorized } = options;
	return {
		headers,
		tls: { ca: pem(ca), cert: pem(cert), key: pem(key), servername, rejectUnauthorized },
		secrets: Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, "")]),
	};
}

/** The library reads one file, or decodes one text. */
function pem(value: unknown): Buffer | string | undefined {
	return typeof value === "string" || Buffer.isBuffer(value) ? value : undefined;
}

function unusable(file: string, how: string): ApiError {
	return noAnswer("NoCredentials", `The file "${file}" ${how}`);
}
