/** A real API server of Kubernetes with its etcd, on free ports of loopback. Nothing schedules or runs its pods. Needs: kube-apiserver. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ServiceAccount } from "#shared/kubernetes/api/service-account.ts";
import type { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { makeCertificate } from "../bus/test-certificates.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

const readyWithinMs = 60_000;

export interface KubeServerOptions {
	/** A state is forgotten after two of these times; default `20s`. */
	readonly compaction?: string;
	/** The user whose calls are logged; default: nobody's are. */
	readonly audited?: string;
	/** Further users by their tokens: lines of the form `<token>,<name>,<uid>,"<groups>"`. */
	readonly users?: readonly string[];
}

export class KubeServer implements AsyncDisposable {
	readonly port: number;
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-kube-server-"));
	readonly #etcdPort: number;
	readonly #options: KubeServerOptions;
	readonly #processes = new Map<string, ChildProcess>();

	private constructor(port: number, etcdPort: number, options: KubeServerOptions) {
		this.port = port;
		this.#etcdPort = etcdPort;
		this.#options = options;
	}

	/** Starts both with a namespace `sessions` and its service account. */
	static async start(options: KubeServerOptions = {}): Promise<KubeServer> {
		const server = new KubeServer(await freePort(), await freePort(), options);
		try {
			server.#writeFiles();
			server.run("etcd", server.#etcdArguments(await freePort()));
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
		this.run("kube-apiserver", this.#apiArguments());
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
		return this.kill("kube-apiserver");
	}

	/** The certificate of the API server, for a proxy in front of it. */
	get certificate(): { readonly cert: Buffer; readonly key: Buffer } {
		const of = (kind: string) => readFileSync(join(this.#folder, `apiserver.${kind}`));
		return { cert: of("pem"), key: of("key") };
	}

	/** The file with the calls of the audited user, a line each. */
	get auditLog(): string {
		return join(this.#folder, "audit.log");
	}

	/** Returns a client of its administrator, or of another user. */
	async client(token = "token-of-the-admin", pace?: CallPace): Promise<ApiClient> {
		const access = await Kubeconfig.open({ file: this.kubeconfig(token) });
		return new ApiClient({ access, ...(pace && { pace }) });
	}

	/** Returns the path of a kubeconfig file of its administrator, or of whoever has the token. @param port That of a proxy before the API server. */
	kubeconfig(token = "token-of-the-admin", port = this.port): string {
		const file = join(this.#folder, `${createHash("sha256").update(`${token} ${port}`).digest("hex")}.json`);
		const cluster = {
			server: `https://127.0.0.1:${port}`,
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
		return new ApiClient({ access: new ServiceAccount({ folder, host: "127.0.0.1", port: String(this.port) }) });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// The API server takes minutes to end without its etcd.
		for (const name of [...this.#processes.keys()].toReversed()) if (name !== "etcd") await this.kill(name);
		await this.kill("etcd");
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#writeFiles(): void {
		makeCertificate(this.#folder, "apiserver");
		const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
		writeFileSync(join(this.#folder, "accounts.key"), privateKey.export({ type: "pkcs1", format: "pem" }), {
			mode: 0o600,
		});
		const { users = [], audited } = this.#options;
		const people = ['token-of-the-admin,admin,1,"system:masters"', "token-of-a-stranger,stranger,2", ...users];
		writeFileSync(join(this.#folder, "tokens.csv"), `${people.join("\n")}\n`);
		const rules = [{ level: "Metadata", users: [audited] }, { level: "None" }];
		const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules };
		writeFileSync(join(this.#folder, "audit.json"), JSON.stringify(policy));
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
			"secure-port": String(this.port),
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
			"etcd-compaction-interval": this.#options.compaction ?? "20s",
			...(this.#options.audited !== undefined && {
				"audit-policy-file": file("audit.json"),
				"audit-log-path": this.auditLog,
				"audit-log-maxsize": "4000",
				"audit-log-mode": "batch",
			}),
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

	/** Starts a program beside the others, which ends with them. */
	run(name: string, args: readonly string[]): void {
		const log = openSync(join(this.#folder, `${name}.log`), "a");
		try {
			this.#processes.set(name, spawn(testProgram(name), args, { stdio: ["ignore", log, log] }));
		} finally {
			closeSync(log);
		}
	}

	/** Writes a file of JSON into its folder; returns the path. */
	write(name: string, content: object): string {
		const file = join(this.#folder, name);
		writeFileSync(file, JSON.stringify(content));
		return file;
	}

	/** Sends a signal to a program, such as SIGSTOP. */
	signal(name: string, signal: NodeJS.Signals): void {
		this.#processes.get(name)?.kill(signal);
	}

	/** Ends a program as a power cut does. */
	async kill(name: string): Promise<void> {
		const child = this.#processes.get(name);
		this.#processes.delete(name);
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const exit = once(child, "exit");
		child.kill("SIGKILL");
		await exit;
	}

	/** Returns the end of the log of a program. */
	lastLines(name: string, count = 20): string {
		return readFileSync(join(this.#folder, `${name}.log`), "utf8")
			.split("\n")
			.slice(-count)
			.join("\n");
	}

	#log(): string {
		return `kube-apiserver answers; its log is ${join(this.#folder, "kube-apiserver.log")}`;
	}
}

/** Returns the arguments of a program by their names. */
export function argumentsOf(options: Readonly<Record<string, string>>): string[] {
	return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}
