/** Runs a Prometheus server for one test. Needs: prometheus. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

/** The labels of an alert that fires; `alertname` is its name. */
export type FiringAlert = Readonly<Record<string, string>>;

/** A Prometheus server that judges each second what it has scraped in the last two. */
export class Prometheus implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #folder: string;
	readonly #url: string;

	private constructor(child: ChildProcess, folder: string, url: string) {
		this.#child = child;
		this.#folder = folder;
		this.#url = url;
	}

	/** @param rules The text of a file of rules. @param targets The scraped addresses. */
	static async start(rules: string, targets: readonly string[]): Promise<Prometheus> {
		const folder = mkdtempSync(join(tmpdir(), "atelier-prometheus-"));
		// A process waits up to a second for the values that it reads at a scrape.
		const each = { scrape_interval: "2s", evaluation_interval: "1s", scrape_timeout: "2s" };
		const scrape_configs = [{ job_name: "atelier", static_configs: [{ targets }] }];
		writeFileSync(join(folder, "rules.yaml"), rules);
		const config = { global: each, rule_files: ["rules.yaml"], scrape_configs };
		writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
		const address = `127.0.0.1:${await freePort()}`;
		const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
		const child = spawn(testProgram("prometheus"), [...args, `--web.listen-address=${address}`], { stdio: "ignore" });
		const server = new Prometheus(child, folder, `http://${address}`);
		await eventually(() => server.#isReady(), { withinMs: 30_000, what: "Prometheus is ready" });
		return server;
	}

	/** Returns the alerts that fire. */
	async firing(): Promise<FiringAlert[]> {
		const response = await fetch(`${this.#url}/api/v1/alerts`);
		const { data } = (await response.json()) as { data: { alerts: { state: string; labels: FiringAlert }[] } };
		return data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels);
	}

	/** Returns the value of an expression with one value now; undefined when it has none. */
	async value(expression: string): Promise<number | undefined> {
		const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
		const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
		const [first] = data.result;
		return first && Number(first.value[1]);
	}

	async #isReady(): Promise<boolean> {
		return fetch(`${this.#url}/-/ready`).then(
			({ ok }) => ok,
			() => false,
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const ended = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await ended;
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
