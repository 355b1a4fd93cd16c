/** A real haproxy on loopback, with the settings of config/haproxy. Needs: haproxy. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

/** Returns our settings with other servers and another address. */
function haproxySettings(port: number, gateways: readonly number[]): string {
	const ours = readFileSync(join(projectRoot, "config/haproxy/haproxy.cfg"), "utf8");
	const settings = ours.replace("bind :8080", `bind 127.0.0.1:${port}`);
	return gateways.reduce((text, gateway, index) => {
		return text.replaceAll(`gateway-${index + 1}:8080`, `127.0.0.1:${gateway}`);
	}, settings);
}

/** The settings of a {@link Haproxy} that differ from ours. */
export interface HaproxyOptions {
	/** Its port; default a free one. */
	readonly port?: number;
	/** Changes our settings, for a control. */
	readonly change?: (settings: string) => string;
	/** Variables beside those of the test. */
	readonly env?: Readonly<Record<string, string>>;
}

export class Haproxy implements AsyncDisposable {
	readonly url: string;
	readonly #child: ChildProcess;
	readonly #folder: string;
	readonly #status: string;

	private constructor(child: ChildProcess, { port, status }: { port: number; status: number }, folder: string) {
		this.#child = child;
		this.#folder = folder;
		this.url = `http://127.0.0.1:${port}`;
		this.#status = `http://127.0.0.1:${status}/;csv`;
	}

	/** Starts it. @param gateways The ports of the gateways. */
	static async start(
		gateways: readonly number[],
		{ port: chosen, change = (same) => same, env = {} }: HaproxyOptions = {},
	): Promise<Haproxy> {
		const [port, status] = await Promise.all([chosen ?? freePort(), freePort()]);
		const folder = mkdtempSync(join(tmpdir(), "atelier-haproxy-"));
		const file = join(folder, "haproxy.cfg");
		const settings = change(haproxySettings(port, gateways));
		const shown = `frontend shown\n  bind 127.0.0.1:${status}\n  stats enable\n  stats uri /\n`;
		writeFileSync(file, `${settings}\n${shown}`);
		const child = spawn(testProgram("haproxy"), ["-db", "-f", file], {
			env: { ...process.env, ...env },
			stdio: ["ignore", "ignore", "pipe"],
		});
		let output = "";
		child.stderr?.on("data", (chunk: Buffer) => (output += chunk));
		const haproxy = new Haproxy(child, { port, status }, folder);
		const answers = async () => {
			if (child.exitCode !== null) throw new Error(`haproxy ended:\n${output}`);
			return haproxy.#seesAll();
		};
		try {
			await eventually(answers, { what: "haproxy answers" });
		} catch (error) {
			await haproxy[Symbol.asyncDispose]();
			throw error;
		}
		return haproxy;
	}

	/** Resolves when it sees every gateway ready. */
	async seesAll(): Promise<void> {
		await eventually(() => this.#seesAll(), { withinMs: 60_000, what: "haproxy sees every gateway" });
	}

	async #seesAll(): Promise<boolean> {
		const rows = (await (await fetch(this.#status)).text()).split("\n");
		const servers = rows.filter((row) => /^gateways,gateway-\d,/.test(row));
		return servers.length > 0 && servers.every((row) => row.includes(",UP,"));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#child.exitCode === null && this.#child.signalCode === null) {
			const ended = once(this.#child, "exit");
			this.#child.kill("SIGKILL");
			await ended;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
