/**
 * A Docker engine of a test, in network and mount namespaces of its own, with images that were made here: there is no
 * registry. Its containers and published ports are reached by `inside` only. Needs: docker-engine.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../eventually.ts";
import { testProgram } from "../machine/test-program.ts";

/** The time of the longest command, which builds images, in milliseconds. */
const commandMs = 600_000;

/** The program that `npm run servers` installs, in this checkout. */
const daemonProgram = join(projectRoot, "test/servers/docker-engine-program.sh");

/** An image of others, which is made from a program of this machine. */
type OthersImage = readonly [image: string, program: string, lines: string];

export const natsImage: OthersImage = ["nats:2.11-alpine", "nats-server", `ENTRYPOINT ["nats-server"]\n`];

const others: readonly OthersImage[] = [
	natsImage,
	["mongo:7", "mongod", "RUN mkdir -p /data/db && chown 999:999 /data/db\nVOLUME /data/db\n"],
	[
		"haproxy:2.8-alpine",
		"haproxy",
		`ENTRYPOINT ["haproxy"]\nCMD ["-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]\n`,
	],
];

export class DockerEngine implements AsyncDisposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-docker-"));
	/** Machines of clusters have process numbers of their own, and the same names of networks. */
	readonly #namespace = basename(this.#folder);
	#daemon: ChildProcess | undefined;
	#options: readonly string[] = [];

	/**
	 * Starts it; resolves when it has the base image of the Dockerfile, and those of others.
	 * @param images The images of others; default: those that docker-compose.yml names.
	 * @param options Options of the engine; they hold until another start.
	 */
	static async start(images = others, options: readonly string[] = []): Promise<DockerEngine> {
		const engine = new DockerEngine();
		engine.#options = options;
		try {
			await engine.#start(images);
			return engine;
		} catch (error) {
			await engine[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** The engine's socket. */
	get socket(): string {
		return join(this.#folder, "docker.sock");
	}

	/** Runs a program that talks to the engine, and returns its output. @throws {Error} with its output when it fails. */
	run(program: string, ...args: string[]): string {
		const env = {
			PATH: process.env["PATH"],
			HOME: this.#folder,
			DOCKER_HOST: `unix://${this.#folder}/docker.sock`,
			DOCKER_BUILDKIT: "0",
		};
		return execFileSync(program, args, { encoding: "utf8", env, stdio: "pipe", timeout: commandMs, maxBuffer: 1e8 });
	}

	/** Starts a program in the network of the containers' host, where published ports are. */
	inside(program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
		return spawn("nsenter", [`--net=/run/netns/${this.#namespace}`, program, ...args], {
			env: { PATH: process.env["PATH"], HOME: this.#folder, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
	}

	/** Ends the engine as a service does that is stopped, or at once; its containers may go on. */
	async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
		const daemon = this.#daemon;
		if (daemon?.exitCode !== null || daemon.signalCode !== null) return;
		const ended = once(daemon, "exit");
		// The program is `unshare`, which waits for the daemon.
		process.kill(this.#pidIn("pid"), signal);
		await ended;
		// An engine that was killed leaves its own containerd, beside which another one does not start.
		if (signal === "SIGKILL") await this.#endContainerd();
	}

	/** Starts the engine again; resolves when it answers. @param options Default: those of its last start. */
	async startAgain(options = this.#options): Promise<void> {
		this.#options = options;
		const words = [daemonProgram, this.#folder, this.#namespace, ...options];
		this.#daemon = spawn("sh", words, { stdio: "ignore" });
		await eventually(() => this.run("docker", "version") !== "", { withinMs: 60_000, what: "the engine answers" });
	}

	async #endContainerd(): Promise<void> {
		const pid = this.#pidIn("exec/containerd/containerd.pid");
		const isThere = () => existsSync(`/proc/${pid}`);
		if (isThere()) process.kill(pid, "SIGKILL");
		await eventually(() => !isThere(), { withinMs: 10_000, what: "the engine's containerd has ended" });
	}

	#pidIn(file: string): number {
		return Number(readFileSync(join(this.#folder, file), "utf8"));
	}

	async #start(images: readonly OthersImage[]): Promise<void> {
		const program = testProgram("docker-engine");
		execFileSync("ip", ["netns", "add", this.#namespace]);
		execFileSync("ip", ["-n", this.#namespace, "link", "set", "lo", "up"]);
		await this.startAgain();
		const base = execFileSync(program, ["--base"], { encoding: "utf8" }).trim();
		this.run("docker", "import", base, "debian:12");
		this.#build("node:24-bookworm-slim", process.execPath, "RUN useradd -m -u 1000 node\n");
		for (const [image, name, lines] of images) this.#build(image, testProgram(name), lines);
	}

	/** Stops it in order and starts it again; its containers end with it, unless it has `live-restore`. */
	async restart(): Promise<void> {
		await this.stop();
		await this.startAgain();
	}

	/** Builds an image with one program of this machine and the libraries that it loads. */
	#build(image: string, program: string, lines: string): void {
		const folder = join(this.#folder, "image");
		const bin = join(folder, "root/usr/local/bin");
		mkdirSync(bin, { recursive: true });
		copyFileSync(program, join(bin, basename(program)));
		for (const library of librariesOf(program)) {
			mkdirSync(join(folder, "root", dirname(library)), { recursive: true });
			copyFileSync(library, join(folder, "root", library));
		}
		writeFileSync(join(folder, "Dockerfile"), `FROM debian:12\nCOPY root/ /\n${lines}`);
		this.run("docker", "build", "-q", "-t", image, folder);
		rmSync(folder, { recursive: true });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const daemon = this.#daemon;
		if (daemon?.exitCode === null && daemon.signalCode === null) {
			const all = this.run("docker", "ps", "-aq").split("\n").filter(Boolean);
			if (all.length > 0) this.run("docker", "rm", "-f", ...all);
			await this.stop();
		}
		execFileSync("ip", ["netns", "del", this.#namespace]);
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

/** Returns the paths of the libraries; none for a program that needs none. */
function librariesOf(program: string): string[] {
	try {
		const listed = execFileSync("ldd", [program], { encoding: "utf8", stdio: "pipe" });
		return [...new Set(listed.match(/\/[^ \n:]+/g))];
	} catch {
		return [];
	}
}
