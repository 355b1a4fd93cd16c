/** Watches the alerts of a cluster in a real Prometheus, by the project's rules with shorter durations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import type { Cluster } from "../cluster/start-cluster.ts";
import { eventually } from "../eventually.ts";
import { Prometheus } from "./prometheus.ts";

/** A threshold that is lowered for a test: the end of an alert's expression, and what is there instead. */
export type Lowered = Readonly<Record<string, readonly [from: string, to: string]>>;

/** The time for a fault to be noticed, and for an alert to end when the rates have forgotten it, in milliseconds. */
const noticedMs = 120_000;
const forgottenMs = 120_000;

export class AlertWatch implements AsyncDisposable {
	/** The names of all alerts in the rules. */
	readonly names: readonly string[];
	/** The alerts that have fired because of a fault. */
	readonly fired = new Set<string>();
	readonly #prometheus: Prometheus;

	private constructor(names: readonly string[], prometheus: Prometheus) {
		this.names = names;
		this.#prometheus = prometheus;
	}

	/** @throws {Error} when a threshold to lower is not the one of the rules. */
	static async start(cluster: Cluster, lowered: Lowered): Promise<AlertWatch> {
		const rules = readFileSync(join(projectRoot, "config/observability/alerts.yaml"), "utf8");
		const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
		const targets = cluster.members.map(({ opsUrl }) => new URL(opsUrl).host);
		return new AlertWatch(names, await Prometheus.start(shortened(withLower(rules, lowered)), targets));
	}

	/** Resolves when so many processes have answered every scrape of the last half minute. */
	async scraped(count: number): Promise<void> {
		const isScraped = async () =>
			(await this.#prometheus.value("count(min_over_time(up[30s]) == 1 and count_over_time(up[30s]) >= 14)")) === count;
		await eventually(isScraped, { withinMs: forgottenMs, everyMs: 250, what: `${count} processes are scraped` });
	}

	/** Resolves when none of these alerts fires, so that a fault which begins now is their cause. Default: no alert at all. */
	async silent(names: readonly string[] = this.names): Promise<void> {
		let firing: string[] = [];
		const isSilent = async () => {
			firing = (await this.#prometheus.firing()).map(({ alertname = "" }) => alertname);
			if (firing.some((name) => names.includes(name))) throw new Error(`These fire: ${firing.join(", ")}`);
			return true;
		};
		await eventually(isSilent, { withinMs: forgottenMs, everyMs: 250, what: `${names.join(", ")} do not fire` });
	}

	/** Resolves when an alert fires, whatever else does. @param opsUrl The process that it is about; default: any one. */
	async fires(name: string, opsUrl?: string): Promise<void> {
		const instance = opsUrl === undefined ? undefined : new URL(opsUrl).host;
		const isMeant = (labels: Readonly<Record<string, string>>) =>
			labels["alertname"] === name && (instance === undefined || labels["instance"] === instance);
		const isFiring = async () => (await this.#prometheus.firing()).some(isMeant);
		await eventually(isFiring, { withinMs: noticedMs, everyMs: 250, what: `${name} fires` });
		this.fired.add(name);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#prometheus[Symbol.asyncDispose]();
	}
}

/** A minute of waiting is a second, and a minute that a rate looks back is four. */
function shortened(rules: string): string {
	return rules
		.replaceAll(/for: (\d+)m/g, (_, minutes: string) => `for: ${minutes}s`)
		.replaceAll(/\[(\d+)m\]/g, (_, minutes: string) => `[${Number(minutes) * 4}s]`);
}

function withLower(rules: string, lowered: Lowered): string {
	return Object.entries(lowered).reduce((text, [name, [from, to]]) => {
		const rule = new RegExp(`(- alert: ${name}\\n +expr: .*)${from}\\n`);
		if (!rule.test(text)) throw new Error(`The expression of ${name} does not end with "${from}"`);
		return text.replace(rule, `$1${to}\n`);
	}, rules);
}
