/** A real API server of Kubernetes with its etcd, on free ports of loopback. Nothing schedules or runs its pods. Needs: kube-apiserver. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ServiceAccount } from "#shared/kubernetes/api/service-account.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { makeCertificate } from "../bus/test-certificates.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

const readyWithinMs = 60_000;

export class KubeServer implements AsyncDisposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-kube-server-"));
	readonly #port: number;
	readonly #etcdPort: number;
	readonly #processes = new Map<"etcd" | "kube-apiserver", ChildProcess>();

	private constructor(port: number, etcdPort: number) {
		this.#port = port;
		this.#etcdPort = etcdPort;
	}

	/** Starts both with a namespace `sessions` and its service account. */
	static async start(): Promise<KubeServer> {
		const server = new KubeServer(await freePort(), await freePort());
		try {
			server.#writeFiles();
			server.#run("etcd", server.#etcdArguments(await freePort()));
			await server.startApi();
			await server.#makeNamespace();
			return server;
		} catch (error) {
			await server[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Starts the API server and waits until it answers. */
	async startApi(): Promise<void> {
		this.#run("kube-apiserver", this.#apiArguments());
		const client = await this.client();
		try {
			const namespaces = { version: "v1", plural: "namespaces" };
			await eventually(() => client.get(namespaces, "kube-system"), { withinMs: readyWithinMs, what: this.#log() });
		} finally {
			client.close();
		}
	}

	/** Ends the API server as a power cut does. etcd goes on. */
	killApi(): Promise<void> {
		return this.#kill("kube-apiserver");
	}

	/** Returns a client of its administrator, or of a stranger. */
	async client(token = "token-of-the-admin"): Promise<ApiClient> {
		return new ApiClient({ access: await Kubeconfig.open({ file: this.kubeconfig(token) }) });
	}

	/** Returns the path of a kubeconfig file of its administrator, or of whoever has the token. */
	kubeconfig(token = "token-of-the-admin"): string {
		const file = join(this.#folder, `${createHash("sha256").update(token).digest("hex")}.json`);
		const cluster = {
			server: `https://127.0.0.1:${this.#port}`,
			"certificate-authority": join(this.#folder, "apiserver.pem"),
		};
		const config = {
			apiVersion: "v1",
			kind: "Config",
			clusters: [{ name: "c", cluster }],
			users: [{ name: "u", user: { token } }],
			contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
			"current-context": "x",
		};
		writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
		return file;
	}

	/** Returns a client that has its token as a pod has it: in a mounted file. */
	accountClient(token: string): ApiClient {
		const folder = mkdtempSync(join(this.#folder, "account-"));
		writeFileSync(join(folder, "token"), token);
		writeFileSync(join(folder, "ca.crt"), readFileSync(join(this.#folder, "apiserver.pem")));
		return new ApiClient({ access: new ServiceAccount({ folder, host: "127.0.0.1", port: String(this.#port) }) });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// The API server takes minutes to end without its etcd.
		await this.#kill("kube-apiserver");
		await this.#kill("etcd");
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#writeFiles(): void {
		makeCertificate(this.#folder, "apiserver");
		const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
		writeFileSync(join(this.#folder, "accounts.key"), privateKey.export({ type: "pkcs1", format: "pem" }), {
			mode: 0o600,
		});
		const people = ['token-of-the-admin,admin,1,"system:masters"', "token-of-a-stranger,stranger,2"];
		writeFileSync(join(this.#folder, "tokens.csv"), `${people.join("\n")}\n`);
	}

	#etcdArguments(peerPort: number): string[] {
		const [client, peer] = [`http://127.0.0.1:${this.#etcdPort}`, `http://127.0.0.1:${peerPort}`];
		return argumentsOf({
			"data-dir": join(this.#folder, "etcd"),
			"unsafe-no-fsync": "true",
			"listen-client-urls": client,
			"advertise-client-urls": client,
			"listen-peer-urls": peer,
			"initial-advertise-peer-urls": peer,
			"initial-cluster": `default=${peer}`,
		});
	}

	#apiArguments(): string[] {
		const file = (name: string): string => join(this.#folder, name);
		return argumentsOf({
			"etcd-servers": `http://127.0.0.1:${this.#etcdPort}`,
			"bind-address": "127.0.0.1",
			"advertise-address": "127.0.0.1",
			"secure-port": String(this.#port),
			"cert-dir": this.#folder,
			"tls-cert-file": file("apiserver.pem"),
			"tls-private-key-file": file("apiserver.key"),
			"token-auth-file": file("tokens.csv"),
			"authorization-mode": "RBAC",
			"service-account-issuer": "https://kubernetes.default.svc",
			"service-account-key-file": file("accounts.key"),
			"service-account-signing-key-file": file("accounts.key"),
			"service-cluster-ip-range": "10.96.0.0/16",
			"endpoint-reconciler-type": "none",
			// A state is forgotten after two of these times.
			"etcd-compaction-interval": "20s",
		});
	}

	async #makeNamespace(): Promise<void> {
		const client = await this.client();
		try {
			const metadata = { name: "sessions" };
			await client.create({ version: "v1", plural: "namespaces" }, { apiVersion: "v1", kind: "Namespace", metadata });
			const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
			await client.create({ version: "v1", plural: "serviceaccounts", namespace: "sessions" }, account);
		} finally {
			client.close();
		}
	}

	#run(name: "etcd" | "kube-apiserver", args: readonly string[]): void {
		const log = openSync(join(this.#folder, `${name}.log`), "a");
		try {
			this.#processes.set(name, spawn(testProgram(name), args, { stdio: ["ignore", log, log] }));
		} finally {
			closeSync(log);
		}
	}

	async #kill(name: "etcd" | "kube-apiserver"): Promise<void> {
		const child = this.#processes.get(name);
		this.#processes.delete(name);
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const exit = once(child, "exit");
		child.kill("SIGKILL");
		await exit;
	}

	#log(): string {
		return `kube-apiserver answers; its log is ${join(this.#folder, "kube-apiserver.log")}`;
	}
}

function argumentsOf(options: Readonly<Record<string, string>>): string[] {
	return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}
