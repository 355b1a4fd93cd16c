/**
 * Another machine of the company, with a private address that is not one of this machine, in a network namespace of its own, and a
 * certificate of the company's authority. Connections to its port 443 reach a server of the test on loopback. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { type Certificate, makeCertificate } from "../bus/test-certificates.ts";
import { join as joined } from "./joined-sockets.ts";

const relay = join(import.meta.dirname, "company-relay.ts");

export class CompanyServer implements AsyncDisposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-company-"));
	readonly #namespace = `atelier-company-${process.pid}`;
	readonly #server: Server;
	#relay: ChildProcess | undefined;
	#port = 0;
	/** The private address. */
	readonly address: string;
	/** The authority that has signed its certificate. */
	readonly authority: Certificate;

	private constructor() {
		const [high, low] = [(process.pid >> 6) & 255, (process.pid & 63) * 4];
		this.address = `10.213.${high}.${low + 2}`;
		this.authority = makeCertificate(this.#folder, "company");
		const { cert, key } = makeCertificate(this.#folder, "server", this.authority, this.address);
		const proven = { cert: readFileSync(cert), key: readFileSync(key) };
		this.#server = createServer(proven, (client) => joined(client, connect(this.#port, "127.0.0.1")));
	}

	static async start(): Promise<CompanyServer> {
		const company = new CompanyServer();
		try {
			await company.#start();
			return company;
		} catch (error) {
			await company[Symbol.asyncDispose]();
			throw error;
		}
	}

	get url(): string {
		return `https://${this.address}`;
	}

	/** Lets connections reach a server on loopback from now on. @param url Its origin. */
	serve(url: string): void {
		this.#port = Number(new URL(url).port);
	}

	async #start(): Promise<void> {
		const socket = join(this.#folder, "relay.sock");
		this.#server.listen(socket);
		await once(this.#server, "listening");
		const [namespace, here] = [this.#namespace, `atc${process.pid}`];
		const gateway = this.address.replace(/\d+$/, (last) => String(Number(last) - 1));
		const ip = (...words: string[]) => execFileSync("ip", words);
		ip("netns", "add", namespace);
		ip("link", "add", here, "type", "veth", "peer", "name", "eth0", "netns", namespace);
		ip("addr", "add", `${gateway}/30`, "dev", here);
		ip("link", "set", here, "up");
		ip("-n", namespace, "addr", "add", `${this.address}/30`, "dev", "eth0");
		ip("-n", namespace, "link", "set", "eth0", "up");
		const words = [`--net=/run/netns/${namespace}`, process.execPath, relay, socket, this.address];
		const child = spawn("nsenter", words, { stdio: ["ignore", "pipe", "inherit"] });
		this.#relay = child;
		await Promise.race([once(child.stdout, "data"), once(child, "exit").then(ended)]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const child = this.#relay;
		if (child?.exitCode === null && child.signalCode === null) {
			const exit = once(child, "exit");
			child.kill("SIGTERM");
			await exit;
		}
		this.#server.close();
		execFileSync("ip", ["netns", "del", this.#namespace]);
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

function ended(): never {
	throw new Error("The relay of the company's server has ended");
}
