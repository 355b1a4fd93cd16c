/** Collects the secrets of one launch: each variable and file once, and no more than fits into the launch document. */
import { jsonBytes } from "#shared/base/answer-size.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import { maxSecretsBytes, type PodSecrets, type SecretMcpServer } from "#shared/contracts/credentials/pod-secrets.ts";
import { secretTarget } from "#shared/wire/pod/secret-target.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";
import { gitCredentialUrl } from "../types/git-credential-url.ts";
import type { MappedCredential } from "./secret-injection.ts";

/** A private key that does not end with a line end is refused by ssh. */
const pem = /^-----BEGIN /;

type Values = Readonly<Record<string, string>>;
type MappedMcpServer = LaunchMapping["mcp_servers"][number];

/** Credentials are added in order of precedence: a later one replaces nothing of an earlier one. */
export class CollectedSecrets {
	readonly #variables = new Map<string, string>();
	readonly #files = new Map<string, PodSecrets["files"][number]>();
	readonly #git: string[] = [];
	readonly #mcpServers = new Map<string, SecretMcpServer>();
	readonly #warnings: string[] = [];
	readonly #protocols: readonly string[];
	#bytes = 0;

	/** @param protocols The protocols of repositories that this installation allows. */
	constructor(protocols: readonly string[]) {
		this.#protocols = protocols;
	}

	/** Adds a credential as its mapping says, or a warning about what of it cannot be added. */
	add(credential: MappedCredential, values: Values): void {
		const { variables, files, git, git_hosts = [], mcp_servers = [] } = credential.mapping;
		const what = wordsOf(credential);
		const copies = new Set(Object.values(variables)).size < Object.keys(variables).length ? 2 : 1;
		this.#bytes += jsonBytes(values) * (copies + mcp_servers.length);
		if (this.#bytes > maxSecretsBytes) return this.warn(`${what}: there is no room for it`);
		for (const [variable, field] of Object.entries(variables))
			this.#addVariable(what, variable, valueOf(values, field));
		for (const [target, field] of Object.entries(files)) this.#addFile(what, target, valueOf(values, field));
		for (const field of git) this.#addGit(what, valueOf(values, field));
		for (const { url, username, field } of git_hosts)
			this.#addGit(what, urlWith(url, username, valueOf(values, field)));
		for (const server of mcp_servers) this.#addMcpServer(what, server, values);
	}

	warn(sentence: string): void {
		this.#warnings.push(sentence);
	}

	whole(): PodSecrets {
		return {
			variables: Object.fromEntries(this.#variables),
			files: [...this.#files.values()],
			git_credentials: [...this.#git],
			...(this.#mcpServers.size > 0 && { mcp_servers: [...this.#mcpServers.values()] }),
			warnings: [...this.#warnings],
		};
	}

	#addVariable(what: string, variable: string, value: string | undefined): void {
		if (value === undefined) return;
		if (!isSettable(variable, value)) this.warn(`${what}: the variable "${variable}" may not be set`);
		else if (this.#variables.has(variable))
			this.warn(`${what}: the variable "${variable}" is set by another credential`);
		else this.#variables.set(variable, value);
	}

	#addFile(what: string, target: string, value: string | undefined): void {
		if (value === undefined) return;
		const place = secretTarget(target);
		const key = place && `${place.root} ${place.path}`;
		if (!place || key === undefined) this.warn(`${what}: there may be no file "${target}"`);
		else if (this.#files.has(key)) this.warn(`${what}: the file "${target}" is another credential's`);
		else this.#files.set(key, { ...place, content: pem.test(value) && !value.endsWith("\n") ? `${value}\n` : value });
	}

	#addGit(what: string, value: string | undefined): void {
		if (value === undefined) return;
		const read = gitCredentialUrl(value, this.#protocols);
		if ("refused" in read) this.warn(`${what}: ${read.refused}`);
		else this.#git.push(read.line);
	}

	/** Adds a server with the variables that the credential has; the first one of a name counts. */
	#addMcpServer(what: string, { name, command, args, env }: MappedMcpServer, values: Values): void {
		if (this.#mcpServers.has(name)) return this.warn(`${what}: another one has the MCP server "${name}"`);
		const read = Object.entries(env).flatMap(([variable, field]): [string, string][] => {
			const value = valueOf(values, field);
			if (value === undefined || isSettable(variable, value)) return value === undefined ? [] : [[variable, value]];
			this.warn(`${what}: the variable "${variable}" of the MCP server "${name}" may not be set`);
			return [];
		});
		this.#mcpServers.set(name, { name, command, args: [...args], env: Object.fromEntries(read) });
	}
}

/** Returns the name of a mapped credential in sentences. */
export function wordsOf({ name, source }: Pick<MappedCredential, "name" | "source">): string {
	return source === undefined ? `credential "${name}"` : `${source}: credential "${name}"`;
}

/** Returns the URL of a host with user and password; undefined without a password, and for what is no origin. */
function urlWith(origin: string, username: string, password: string | undefined): string | undefined {
	if (password === undefined || password === "" || !URL.canParse(origin)) return undefined;
	const { protocol, host } = new URL(origin);
	return `${protocol}//${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}`;
}

function valueOf(values: Values, field: string): string | undefined {
	return Object.hasOwn(values, field) ? values[field] : undefined;
}
