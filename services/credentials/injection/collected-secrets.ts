/** Collects the secrets of one launch: each variable and file once, and no more than fits into the launch document. */
import { jsonBytes } from "#shared/pod/answer-size.ts";
import { maxSecretsBytes, type PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { secretTarget } from "#shared/pod/secret-target.ts";
import { isSettable } from "#shared/pod/variable-name.ts";
import { gitCredentialUrl } from "../types/git-credential-url.ts";
import type { MappedCredential } from "./secret-injection.ts";

/** A private key that does not end with a line end is refused by ssh. */
const pem = /^-----BEGIN /;

type Values = Readonly<Record<string, string>>;

/** The secrets so far. */
export class CollectedSecrets {
	readonly #variables = new Map<string, string>();
	readonly #files = new Map<string, PodSecrets["files"][number]>();
	readonly #git: string[] = [];
	readonly #warnings: string[] = [];
	readonly #protocols: readonly string[];
	#bytes = 0;

	/** @param protocols The protocols of repositories that this installation allows. */
	constructor(protocols: readonly string[]) {
		this.#protocols = protocols;
	}

	/** Adds a credential as its mapping says, or a warning about what of it cannot be added. */
	add({ name, mapping }: MappedCredential, values: Values): void {
		this.#bytes += jsonBytes(values);
		if (this.#bytes > maxSecretsBytes) return this.warn(`credential "${name}": there is no room for it`);
		for (const [variable, field] of Object.entries(mapping.variables))
			this.#addVariable(name, variable, valueOf(values, field));
		for (const [target, field] of Object.entries(mapping.files)) this.#addFile(name, target, valueOf(values, field));
		for (const field of mapping.git) this.#addGit(name, valueOf(values, field));
	}

	warn(sentence: string): void {
		this.#warnings.push(sentence);
	}

	whole(): PodSecrets {
		return {
			variables: Object.fromEntries(this.#variables),
			files: [...this.#files.values()],
			git_credentials: [...this.#git],
			warnings: [...this.#warnings],
		};
	}

	#addVariable(name: string, variable: string, value: string | undefined): void {
		if (value === undefined) return;
		if (!isSettable(variable, value)) this.warn(`credential "${name}": the variable "${variable}" may not be set`);
		else if (this.#variables.has(variable))
			this.warn(`credential "${name}": the variable "${variable}" is set by another credential`);
		else this.#variables.set(variable, value);
	}

	#addFile(name: string, target: string, value: string | undefined): void {
		if (value === undefined) return;
		const place = secretTarget(target);
		const key = place && `${place.root} ${place.path}`;
		if (!place || key === undefined) this.warn(`credential "${name}": there may be no file "${target}"`);
		else if (this.#files.has(key)) this.warn(`credential "${name}": the file "${target}" is another credential's`);
		else this.#files.set(key, { ...place, content: pem.test(value) && !value.endsWith("\n") ? `${value}\n` : value });
	}

	#addGit(name: string, value: string | undefined): void {
		if (value === undefined) return;
		const read = gitCredentialUrl(value, this.#protocols);
		if ("refused" in read) this.warn(`credential "${name}": ${read.refused}`);
		else this.#git.push(read.line);
	}
}

function valueOf(values: Values, field: string): string | undefined {
	return Object.hasOwn(values, field) ? values[field] : undefined;
}
