/**
 * The network of a company, with machines whose private addresses are not those of this machine, in a network namespace of its own.
 * Connections to their ports 22 and 443 reach servers of the test on loopback. A certificate authority of the company has signed for all of
 * them. It keeps no process alive, and ends with its process. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer as createTcpServer, type Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { linkStreams } from "#shared/net/linked-streams.ts";
import { type Certificate, makeCertificate } from "../bus/test-certificates.ts";

const relay = join(import.meta.dirname, "company-relay.ts");
/** The addresses of a network of 28 bits without the first, the last, and that of this machine. */
const machines = 13;

export class CompanyNetwork implements Disposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-company-"));
	readonly #namespace = `atelier-company-${process.pid}`;
	readonly #servers: Server[] = [];
	readonly #certificate: Certificate;
	#relay: ChildProcess | undefined;
	/** The authority that has signed its certificate. */
	readonly authority: Certificate;
	/** The addresses of its machines. */
	readonly addresses: readonly string[];

	private constructor() {
		this.addresses = Array.from({ length: machines }, (_, index) => addressOf(index + 2));
		this.authority = makeCertificate(this.#folder, "company");
		this.#certificate = makeCertificate(this.#folder, "server", this.authority, this.addresses);
	}

	static async start(): Promise<CompanyNetwork> {
		using opening = new DisposableStack();
		const company = opening.use(new CompanyNetwork());
		await company.#start();
		opening.move();
		return company;
	}

	/** Puts a server on a machine of its own, and resolves to its origin there. @param url Its origin on loopback. */
	async publish(url: string): Promise<string> {
		const { cert, key } = this.#certificate;
		const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
		server.on("tlsClientError", () => {});
		const port = Number(new URL(url).port);
		server.on("secureConnection", (client) => linkStreams(client, connect(port, "127.0.0.1")));
		return `https://${await this.#listen(server, 443)}`;
	}

	/** Puts a server for ssh on a machine of its own, and resolves to the machine's address. @param port Its port on loopback. */
	publishSsh(port: number): Promise<string> {
		return this.#listen(
			createTcpServer((client) => linkStreams(client, connect(port, "127.0.0.1"))),
			22,
		);
	}

	/** Resolves to the address of a machine whose port leads to the server. */
	async #listen(server: Server, port: 22 | 443): Promise<string> {
		const address = this.addresses[this.#servers.length];
		if (address === undefined) throw new RangeError(`The network has ${machines} machines, which all have a server`);
		this.#servers.push(server);
		server.unref();
		server.listen(join(this.#folder, `${address}.${port}.sock`));
		await once(server, "listening");
		return address;
	}

	async #start(): Promise<void> {
		const [namespace, here] = [this.#namespace, `atc${process.pid}`];
		const ip = (...words: string[]) => execFileSync("ip", words);
		ip("netns", "add", namespace);
		ip("link", "add", here, "type", "veth", "peer", "name", "eth0", "netns", namespace);
		ip("addr", "add", `${addressOf(1)}/28`, "dev", here);
		ip("link", "set", here, "up");
		for (const address of this.addresses) ip("-n", namespace, "addr", "add", `${address}/28`, "dev", "eth0");
		ip("-n", namespace, "link", "set", "eth0", "up");
		const words = [`--net=/run/netns/${namespace}`, process.execPath, relay, this.#folder, namespace];
		const child = spawn("nsenter", words, { stdio: ["pipe", "pipe", "inherit"] });
		this.#relay = child;
		await Promise.race([once(child.stdout, "data"), once(child, "exit").then(refuseEnd)]);
		child.stdout.destroy();
		child.unref();
		// The network goes when this process has ended in any way.
		if (child.stdin instanceof Socket) child.stdin.unref();
	}

	[Symbol.dispose](): void {
		for (const server of this.#servers) server.close();
		if (this.#relay) this.#relay.stdin?.destroy();
		else rmSync(this.#folder, { recursive: true, force: true });
	}
}

/** Returns an address of the network of this process. */
function addressOf(number: number): string {
	const { pid } = process;
	return `10.213.${(pid >> 4) & 255}.${(pid & 15) * 16 + number}`;
}

function refuseEnd(): never {
	throw new Error("The relay of the company's network has ended");
}
