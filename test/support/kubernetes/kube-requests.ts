/** Requests of one account to a cluster's API as they are on the wire, for what the platform's own client does not ask. */
import { readFileSync } from "node:fs";
import { request } from "node:https";

export interface KubeRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** The path with the query, such as `/api/v1/namespaces?dryRun=All`. */
	readonly path: string;
	readonly body?: object;
	/** Default `application/json`. */
	readonly form?: string;
	readonly accept?: string;
}

export interface KubeAnswer {
	readonly status: number;
	/** The parsed JSON; an empty object for what is none. */
	readonly body: { readonly message?: string; readonly [member: string]: unknown };
}

interface Config {
	readonly clusters: readonly [{ readonly cluster: { readonly server: string; "certificate-authority": string } }];
	readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** Sends the requests of the account of a kubeconfig file, whose certificate and token are written as KubeServer does. */
export class KubeRequests {
	readonly #server: string;
	readonly #ca: Buffer;
	readonly #token: string;

	constructor(kubeconfig: string) {
		const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8")) as Config;
		this.#server = clusters[0].cluster.server;
		this.#ca = readFileSync(clusters[0].cluster["certificate-authority"]);
		this.#token = users[0].user.token;
	}

	/** @throws {Error} when the server does not answer. */
	send({
		method,
		path,
		body,
		form = "application/json",
		accept = "application/json",
	}: KubeRequest): Promise<KubeAnswer> {
		const { promise, resolve, reject } = Promise.withResolvers<KubeAnswer>();
		const headers = { authorization: `Bearer ${this.#token}`, accept, "content-type": form };
		const sent = request(new URL(path, this.#server), { method, headers, ca: this.#ca, agent: false }, (answer) => {
			let text = "";
			answer.setEncoding("utf8");
			answer.on("data", (chunk: string) => (text += chunk));
			answer.on("error", reject);
			answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: parsed(text) }));
		});
		sent.on("error", reject);
		sent.end(body && JSON.stringify(body));
		return promise;
	}
}

function parsed(text: string): KubeAnswer["body"] {
	try {
		return JSON.parse(text) as KubeAnswer["body"];
	} catch {
		return {};
	}
}
