/**
 * The way out of the sessions in containers: an HTTP proxy for each launch, at a socket of its own (docs/decisions/0150). What the
 * operator allows and what the launch allows both have to admit a connection.
 */
import { join } from "node:path";
import type { BlockList } from "node:net";
import { egressProfiles } from "#shared/base/hosts/egress-profiles.ts";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import { type EgressRules, usualEgressPorts } from "#shared/net/egress/egress-rules.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { Launch } from "../local-process/launch.ts";
import type { RunFolders } from "../local-process/run-folders.ts";

const maxKeptBytes = 65_536;
/** The servers of which a launch is told that they were refused. */
const maxTold = 10;

/** The part of a launch that decides about its way out. */
type EgressSettings = Pick<LaunchSettings, "egress" | "repositories">;

/** Owns the rules of all launches. */
export class LaunchEgress {
	readonly #runs: RunFolders;
	readonly #rules: EgressRules;
	readonly #refused: BlockList;

	/**
	 * @param rules The operator's.
	 * @param refused Networks that no launch reaches.
	 */
	constructor(runs: RunFolders, rules: EgressRules, refused: BlockList) {
		this.#runs = runs;
		this.#rules = rules;
		this.#refused = refused;
	}

	/** Keeps the rules of a launch that begins. */
	async keep(launch: Launch, { egress, repositories }: EgressSettings): Promise<void> {
		const { profile = "default", hosts = [] } = egress ?? {};
		const kept = { profile, hosts: [...hosts, ...repositories.flatMap(({ url }) => hostOf(url))] };
		await replaceFile(this.#file(launch), JSON.stringify(kept));
	}

	/**
	 * Opens the way out of a launch, which the caller closes.
	 * @param tell Receives a sentence for each of the first servers that were refused.
	 */
	async open(launch: Launch, socketPath: string, tell: (sentence: string) => void): Promise<EgressProxy> {
		const own = await this.#kept(launch);
		const told = new Set<string>();
		const proxy = new EgressProxy({
			rules: () => [this.#rules, own],
			refused: this.#refused,
			onRefused(destination, { words }) {
				if (told.size >= maxTold || told.has(destination)) return;
				told.add(destination);
				tell(`The connection to ${destination} was refused: ${words}`);
			},
		});
		await proxy.listen(socketPath);
		return proxy;
	}

	/** A launch whose rules cannot be read reaches nothing. */
	async #kept(launch: Launch): Promise<EgressRules> {
		const content = await readUntrusted(this.#file(launch), maxKeptBytes);
		const { profile, hosts } = parseJsonObject(content?.toString("utf8") ?? "") ?? {};
		return {
			profile: egressProfiles.find((one) => one === profile) ?? "none",
			allowed: Array.isArray(hosts) ? hosts.map(String) : [],
			internal: [],
		};
	}

	#file(launch: Launch): string {
		return join(this.#runs.path(launch), "egress.json");
	}
}

/**
 * Returns the host of a repository in either form of git's URLs; none for a text that is no URL. A host with a dot first would stand
 * for all names below it.
 */
export function hostOf(url: string): string[] {
	const short = /^[\w.-]+@([\w.-]+):/.exec(url)?.[1];
	const host = short ?? (URL.canParse(url) ? new URL(url).hostname : "");
	return host === "" || host.startsWith(".") ? [] : [host.toLowerCase()];
}

/** Returns the operator's rules. */
export function operatorRules(rules: Pick<EgressRules, "profile" | "allowed" | "internal">): EgressRules {
	return { ...rules, ports: usualEgressPorts };
}
