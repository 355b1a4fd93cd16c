/**
 * Serves git repositories over ssh: a real server on loopback with one user, `git`, in a mount namespace of its own. Needs root.
 * Needs: sshd.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

/** The user of the server, and the one as which it is careful with connections that have not logged in. */
const people = "git:*:0:0::/nonexistent:/bin/sh\nsshd:*:65533:65534::/run/sshd:/usr/sbin/nologin\n";
const startMs = 10_000;

interface SshKey {
	/** The text in PEM. */
	readonly privateKey: string;
	/** The line of authorized_keys (sshd(8)). */
	readonly publicKey: string;
}

export class GitSshServer implements AsyncDisposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-sshd-"));
	readonly #host = makeKey();
	#process: ChildProcess | undefined;
	/** The key with which the user logs in. */
	readonly user = makeKey();
	readonly port: number;

	private constructor(port: number) {
		this.port = port;
	}

	static async start(): Promise<GitSshServer> {
		await using opening = new AsyncDisposableStack();
		const server = opening.use(new GitSshServer(await freePort()));
		await server.#start();
		opening.move();
		return server;
	}

	/** Returns the line of `known_hosts` for a name of this server. */
	knownAs(host: string): string {
		return `${host} ${this.#host.publicKey}\n`;
	}

	async #start(): Promise<void> {
		const path = (name: string): string => join(this.#folder, name);
		const write = (name: string, content: string): void => writeFileSync(path(name), content, { mode: 0o600 });
		write("host_key", this.#host.privateKey);
		write("authorized_keys", `${this.user.publicKey}\n`);
		write("passwd", people);
		const settings = [
			`ListenAddress 127.0.0.1:${this.port}`,
			`HostKey ${path("host_key")}`,
			`AuthorizedKeysFile ${path("authorized_keys")}`,
			"AuthenticationMethods publickey",
			"StrictModes no",
			"UsePAM no",
			"PidFile none",
		];
		write("config", `${settings.join("\n")}\n`);
		const mounts = `mount --bind "$1" /etc/passwd && mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd`;
		const words = [`${mounts} && exec "$2" -D -e -f "$3"`, "sh", path("passwd"), testProgram("sshd"), path("config")];
		const child = spawn("unshare", ["--mount", "sh", "-c", ...words], { stdio: ["ignore", "ignore", "pipe"] });
		this.#process = child;
		let said = "";
		child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
		await eventually(
			async () => {
				if (child.exitCode !== null) throw new Error(`sshd has ended: ${said}`);
				return answers(this.port);
			},
			{ withinMs: startMs, what: "sshd listens" },
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const child = this.#process;
		if (child && child.exitCode === null && child.signalCode === null) {
			const ended = once(child, "exit");
			child.kill();
			await ended;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

async function answers(port: number): Promise<boolean> {
	const socket = connect(port, "127.0.0.1");
	try {
		await once(socket, "connect");
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}

/** Makes a key without any program of ssh (RFC 5656, section 3.1). */
function makeKey(): SshKey {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const texts = [Buffer.from("ecdsa-sha2-nistp256"), Buffer.from("nistp256"), pointOf(publicKey)];
	const blob = Buffer.concat(texts.flatMap((text) => [lengthOf(text), text]));
	return {
		privateKey: String(privateKey.export({ type: "sec1", format: "pem" })),
		publicKey: `ecdsa-sha2-nistp256 ${blob.toString("base64")}`,
	};
}

/** Returns the point of a public key, not compressed. */
function pointOf(key: KeyObject): Buffer {
	const { x = "", y = "" } = key.export({ format: "jwk" });
	return Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
}

function lengthOf(text: Buffer): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(text.length);
	return length;
}
