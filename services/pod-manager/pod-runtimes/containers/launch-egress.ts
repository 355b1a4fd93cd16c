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
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Dial } from "#shared/net/egress/egress-connections.ts";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import { type EgressRules, usualEgressPorts } from "#shared/net/egress/egress-rules.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { Launch } from "../launches/launch.ts";
import type { RunFolders } from "../machine/run-folders.ts";
import { RefusalNotes } from "./refusal-notes.ts";

const maxKeptBytes = 65_536;

/** The part of a launch that decides about its way out. */
type EgressSettings = Pick<LaunchSettings, "egress" | "repositories">;

/** The open way out of a launch. */
export interface OpenedEgress {
	readonly proxy: EgressProxy;
	/** The refusals so far. */
	readonly notes: RefusalNotes;
}

/** Where all launches may go. */
export interface LaunchEgressOptions {
	/** The operator's rules. */
	readonly rules: EgressRules;
	/** Networks that no launch reaches. */
	readonly refused: BlockList;
	/** Begins connections; default: as the egress proxy does. */
	readonly dial?: Dial;
}

/** Owns the rules of all launches. */
export class LaunchEgress {
	readonly #runs: RunFolders;
	readonly #options: LaunchEgressOptions;
	readonly #refusals: ReturnType<Metrics["counter"]>;

	constructor(runs: RunFolders, options: LaunchEgressOptions, metrics: Metrics) {
		this.#runs = runs;
		this.#options = options;
		this.#refusals = metrics.counter("atelier_egress_refused_total");
	}

	/** Keeps the rules of a launch that begins. */
	async keep(launch: Launch, { egress, repositories }: EgressSettings): Promise<void> {
		const { profile = "default", hosts = [] } = egress ?? {};
		const kept = { profile, hosts: [...hosts, ...repositories.flatMap(({ url }) => hostOf(url))] };
		await replaceFile(this.#file(launch), JSON.stringify(kept));
	}

	/**
	 * Opens the way out of a launch, which the caller closes.
	 * @param onNote Called when the notes of what was refused have changed.
	 */
	async open(launch: Launch, socketPath: string, onNote: () => void): Promise<OpenedEgress> {
		const own = await this.#kept(launch);
		const notes = await this.#notesOf(launch);
		const { dial } = this.#options;
		const proxy = new EgressProxy({
			rules: () => [this.#options.rules, own],
			refused: this.#options.refused,
			...(dial && { dial }),
			onRefused: (destination, { reason, words }) => {
				this.#refusals.at(reason).add();
				if (notes.add(destination, words)) onNote();
			},
		});
		await proxy.listen(socketPath);
		return { proxy, notes };
	}

	/** Keeps the notes of a launch for the next process. */
	async keepNotes(launch: Launch, notes: RefusalNotes): Promise<void> {
		await replaceFile(this.#file(launch, "refused.json"), JSON.stringify(notes));
	}

	async #notesOf(launch: Launch): Promise<RefusalNotes> {
		const content = await readUntrusted(this.#file(launch, "refused.json"), maxKeptBytes);
		return new RefusalNotes(parseJsonObject(content?.toString("utf8") ?? ""));
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

	#file(launch: Launch, name = "egress.json"): string {
		return join(this.#runs.path(launch), name);
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
