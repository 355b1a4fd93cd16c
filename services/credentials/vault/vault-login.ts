/**
 * The login of the platform at Vault or OpenBao: a token that the operator gives, or one that Vault gives for the token of the process's
 * account in a cluster (auth method `kubernetes`), which is renewed by another login before it ends.
 */
import { readFile } from "node:fs/promises";
import { monotonic } from "#shared/base/clock.ts";
import type { VaultRequests } from "./vault-requests.ts";

/** A login is repeated this long before its token ends, in milliseconds. */
const earlyMs = 60_000;

export interface KubernetesLogin {
	/** The mount of the auth method. */
	readonly mount: string;
	readonly role: string;
	/** The file with the token of the account, which the cluster renews. */
	readonly tokenFile: string;
}

interface LoginAnswer {
	readonly auth?: { readonly client_token?: unknown; readonly lease_duration?: unknown };
}

export class VaultLogin {
	readonly #requests: VaultRequests;
	readonly #login: string | KubernetesLogin;
	#token: Promise<string> | undefined;
	#endsAt = -Infinity;

	/** @param login A token, or how one is got. */
	constructor(requests: VaultRequests, login: string | KubernetesLogin) {
		this.#requests = requests;
		this.#login = login;
	}

	/** Resolves to a token; those who ask at the same moment get the same one. @throws {UnavailableError} */
	async token(): Promise<string> {
		if (typeof this.#login === "string") return this.#login;
		if (monotonic() > this.#endsAt) this.forget();
		this.#token ??= this.#logIn(this.#login).catch((error: unknown) => {
			this.#token = undefined;
			throw error;
		});
		return this.#token;
	}

	/** Vault has refused the token, which somebody may have revoked. */
	forget(): void {
		this.#token = undefined;
		this.#endsAt = Infinity;
	}

	/** Whether another login may get another token. */
	get isRenewable(): boolean {
		return typeof this.#login !== "string";
	}

	async #logIn({ mount, role, tokenFile }: KubernetesLogin): Promise<string> {
		const jwt = (await readFile(tokenFile, "utf8")).trim();
		const answer: LoginAnswer = await this.#requests.send("POST", `auth/${mount}/login`, { role, jwt });
		const { client_token: token, lease_duration: seconds } = answer.auth ?? {};
		if (typeof token !== "string" || typeof seconds !== "number") throw new TypeError("Vault has answered no token");
		this.#endsAt = seconds === 0 ? Infinity : monotonic() + Math.max(seconds * 500, seconds * 1_000 - earlyMs);
		return token;
	}
}
