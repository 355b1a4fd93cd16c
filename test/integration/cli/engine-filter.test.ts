/** The filter before a container engine's socket, with an engine that records what reaches it. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineFilter } from "../../../cli/engine-filter/filter-server.ts";

const session = "session-3f0c2a11-0000-4000-8000-000000000001-g1";
/** The same of another platform at the same engine. */
const othersSession = "session-3f0c2a11-0000-4000-8000-000000000009-g1";
const helper = "atelier-helper-0123456789abcdef";
const user = 231_001;

/** A call that has reached the engine. */
interface Reached {
	readonly call: string;
	readonly body: string;
}

describe("engine-filter", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "atelier-filter-")));
	const folder = join(root, "sessions");
	const workspace = join(folder, "w");
	const reached: Reached[] = [];
	const refused: string[] = [];
	const servers: Server[] = [];
	const socket = join(root, "filter.sock");

	async function listen(server: Server, path: string): Promise<void> {
		servers.push(server);
		server.listen(path);
		await once(server, "listening");
	}

	before(async () => {
		mkdirSync(workspace, { recursive: true });
		symlinkSync("/etc", join(folder, "link"));
		const engine = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on("data", (chunk: Buffer) => chunks.push(chunk));
			request.on("end", () => {
				// The filter asks itself whose container it is.
				if (request.url?.endsWith("/json?size=false")) {
					const Labels = { "atelier.installation": request.url.includes(othersSession) ? "other" : "i" };
					response.writeHead(200).end(JSON.stringify({ Config: { Labels } }));
					return;
				}
				reached.push({ call: `${request.method} ${request.url}`, body: Buffer.concat(chunks).toString() });
				response.writeHead(201, { "content-type": "application/json" }).end(`{"Id":"1"}`);
			});
		});
		await listen(engine, join(root, "engine.sock"));
		const platform = { installation: "i", images: ["atelier/session"], user, folders: [folder], maxMemory: 2 ** 32 };
		const onRefused = (sentence: string): void => void refused.push(sentence);
		await listen(engineFilter({ engine: join(root, "engine.sock"), platform, onRefused }), socket);
	});
	after(() => {
		for (const server of servers) {
			server.close();
			server.closeAllConnections();
		}
		rmSync(root, { recursive: true });
	});
	beforeEach(() => {
		reached.length = 0;
	});

	/** Sends a call and resolves to the status and the sentence of the answer. */
	async function send(method: string, path: string, body?: unknown): Promise<{ status: number; message: string }> {
		const text = typeof body === "string" ? body : JSON.stringify(body);
		const outgoing = httpRequest({ socketPath: socket, method, path, agent: false });
		outgoing.end(text);
		const [answer] = (await once(outgoing, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
		let read = "";
		for await (const chunk of answer) read += String(chunk);
		const { message = "" } = JSON.parse(read) as { message?: string };
		return { status: answer.statusCode, message };
	}

	const confinement = {
		NetworkMode: "none",
		ReadonlyRootfs: true,
		CapDrop: ["ALL"],
		SecurityOpt: ["no-new-privileges"],
		Memory: 2 ** 30,
		MemorySwap: 2 ** 30,
		NanoCpus: 1e9,
		PidsLimit: 200,
		RestartPolicy: { Name: "no" },
		LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
	};
	const mount = { Type: "bind", Source: workspace, Target: "/session", ReadOnly: false };
	const common = { Image: "atelier/session", Labels: { "atelier.installation": "i" } };
	const good = {
		...common,
		User: `${user}:${user}`,
		Cmd: ["agent/main.ts"],
		HostConfig: { ...confinement, Mounts: [mount], Tmpfs: { "/tmp": "size=1048576,exec,mode=1777" } },
	};
	const goodHelper = {
		...common,
		User: "0:0",
		Entrypoint: [],
		Cmd: ["chown", "-hR", `${user}:${user}`, "/folder"],
		HostConfig: {
			...confinement,
			CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
			Mounts: [{ ...mount, Target: "/folder" }],
		},
	};
	const create = (name: string): string => `/v1.41/containers/create?name=${name}`;
	const host = (change: object): object => ({ ...good, HostConfig: { ...good.HostConfig, ...change } });
	const from = (Source: string): object => host({ Mounts: [{ ...mount, Source }] });

	it("lets nobody touch the containers of another platform, whatever their names are", async () => {
		for (const [method, call] of [
			["POST", "start"],
			["POST", "stop"],
			["POST", "wait"],
			["GET", "logs?stdout=1"],
			["GET", "json"],
		] as const) {
			const { status, message } = await send(method, `/v1.41/containers/${othersSession}/${call}`);
			expect([status, message]).to.deep.equal([403, `The container "${othersSession}" is not one of this platform`]);
		}
		expect((await send("DELETE", `/v1.41/containers/${othersSession}`)).status).to.equal(403);
		expect(reached).to.deep.equal([]);
	});

	it("lets an engine be probed, with a known command and no folder", async () => {
		const probe = {
			...common,
			User: `${user}:${user}`,
			Entrypoint: [],
			Cmd: ["cat", "/proc/self/status", "/proc/self/mounts", "/proc/net/dev"],
			HostConfig: { ...confinement, Tmpfs: { "/tmp": "size=1048576,exec,mode=1777" } },
		};
		const name = create("atelier-probe-0123456789abcdef");
		expect(await send("POST", name, probe)).to.include({ status: 201 });
		expect(await send("POST", name, { ...probe, Cmd: ["cat", "/etc/shadow"] })).to.include({ status: 403 });
		expect(await send("POST", name, { ...probe, HostConfig: { ...probe.HostConfig, Mounts: [mount] } })).to.include({
			status: 403,
		});
	});

	it("mounts folders only, not a file or a socket that a session has put among them", async () => {
		const file = join(folder, "file");
		writeFileSync(file, "");
		expect((await send("POST", create(session), from(file))).message).to.include("HostConfig.Mounts[0].Source");
	});

	it("lets no container have swap beside its memory", async () => {
		const { message } = await send("POST", create(session), host({ MemorySwap: 2 ** 31 }));
		expect(message).to.include("HostConfig.MemorySwap");
	});

	it("lets the platform's own containers be created, and passes on what it understood", async () => {
		expect(await send("POST", create(session), good)).to.include({ status: 201 });
		expect(await send("POST", create(helper), goodHelper)).to.include({ status: 201 });
		expect(reached.map(({ call }) => call)).to.deep.equal([`POST ${create(session)}`, `POST ${create(helper)}`]);
		expect(JSON.parse(reached[0]?.body ?? "")).to.deep.equal(good);
	});

	const own = encodeURIComponent(JSON.stringify({ label: ["atelier.installation=i"] }));
	for (const call of [
		"GET /v1.41/_ping",
		"GET /v1.41/info",
		"GET /v1.41/images/atelier/session:1@sha256:00/json",
		`GET /v1.41/events?filters=${own}`,
		`GET /v1.41/containers/json?all=1&filters=${own}`,
		`GET /v1.41/containers/${session}/json`,
		`GET /v1.41/containers/${session}/logs?stdout=1&stderr=1&tail=50`,
		`POST /v1.41/containers/${session}/start`,
		`POST /v1.41/containers/${session}/stop?t=20`,
		`POST /v1.41/containers/${helper}/wait`,
		`DELETE /v1.41/containers/${session}?v=1`,
	]) {
		it(`passes on ${call}`, async () => {
			const [method = "", path = ""] = call.split(" ");
			expect(await send(method, path)).to.include({ status: 201 });
			expect(reached).to.have.length(1);
		});
	}

	const foreign = "session-3f0c2a11-0000-4000-8000-000000000001-g1x";
	for (const call of [
		`POST /v1.41/containers/${session}/exec`,
		`POST /v1.41/containers/${session}/attach?stream=1`,
		`GET /v1.41/containers/${session}/archive?path=/`,
		`PUT /v1.41/containers/${session}/archive?path=/`,
		`POST /v1.41/containers/${session}/update`,
		`POST /v1.41/containers/${session}/kill`,
		`DELETE /v1.41/containers/${session}?force=1`,
		`DELETE /v1.41/containers/${foreign}?v=1`,
		`POST /v1.41/containers/database/stop`,
		`GET /v1.41/containers/database/json`,
		`GET /v1.41/containers/json?all=1`,
		`GET /v1.41/containers/json?filters=%7B%22label%22%3A%5B%22atelier.installation%3Dj%22%5D%7D`,
		`GET /v1.41/events?filters=%7B%7D`,
		`POST /v1.41/build`,
		`POST /v1.41/images/create?fromImage=a`,
		`POST /v1.41/volumes/create`,
		`POST /v1.41/networks/create`,
		`POST /v1.41/containers/prune`,
		`POST /v1.41/swarm/init`,
		`GET /v1.41/secrets`,
		`POST /containers/${session}/start`,
		`POST /v1.41/containers/..%2f..%2fcontainers/create?name=${session}`,
		`POST /v1.41/containers/${session}/../database/stop`,
		`POST /v1.41/containers/create?name=${session}&name=database`,
		`POST /v1.41/containers/create?name=database`,
		`POST /v1.41/containers/create`,
		`POST /v1.41/containers/create?name=${session}&platform=x`,
	]) {
		it(`refuses ${call}`, async () => {
			const [method = "", path = ""] = call.split(" ");
			expect(await send(method, path, method === "POST" ? good : undefined)).to.include({ status: 403 });
			expect(reached).to.deep.equal([]);
			expect(refused.at(-1)).to.include("The filter does not let");
		});
	}

	it("refuses a body with a call that has none", async () => {
		expect(await send("POST", `/v1.41/containers/${session}/start`, { Binds: ["/:/h"] })).to.include({ status: 403 });
		expect(reached).to.deep.equal([]);
	});

	/** Requests that would make the session root on the machine, or let it out; each with the member that is named. */
	const bad: readonly (readonly [what: string, body: unknown, member: string])[] = [
		["a bind of the whole machine", host({ Binds: ["/:/h"] }), "HostConfig.Binds"],
		["a mount of the whole machine", from("/"), "HostConfig.Mounts[0].Source"],
		["a mount that leaves the folder", from(`${folder}/w/../../engine.sock`), "HostConfig.Mounts[0].Source"],
		["a mount through a link", from(join(folder, "link")), "HostConfig.Mounts[0].Source"],
		["a mount below a link", from(join(folder, "link/ssh")), "HostConfig.Mounts[0].Source"],
		["a mount of the folder itself", from(folder), "HostConfig.Mounts[0].Source"],
		["a mount of what is not there", from(join(folder, "absent")), "HostConfig.Mounts[0].Source"],
		["a volume", host({ Mounts: [{ ...mount, Type: "volume" }] }), "HostConfig.Mounts[0].Type"],
		[
			"a mount with an option",
			host({ Mounts: [{ ...mount, BindOptions: { Propagation: "shared" } }] }),
			"HostConfig.Mounts[0].BindOptions",
		],
		["privileges", host({ Privileged: true }), "HostConfig.Privileged"],
		["privileges in other letters", host({ privileged: true }), "HostConfig.privileged"],
		["the network of the machine", host({ NetworkMode: "host" }), "HostConfig.NetworkMode"],
		["the network of another container", host({ NetworkMode: "container:database" }), "HostConfig.NetworkMode"],
		["the processes of the machine", host({ PidMode: "host" }), "HostConfig.PidMode"],
		["the memory of the machine's processes", host({ IpcMode: "host" }), "HostConfig.IpcMode"],
		["the users of the machine", host({ UsernsMode: "host" }), "HostConfig.UsernsMode"],
		["a capability", host({ CapAdd: ["SYS_ADMIN"] }), "HostConfig.CapAdd"],
		["capabilities that are kept", host({ CapDrop: [] }), "HostConfig.CapDrop"],
		[
			"no confinement of system calls",
			host({ SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] }),
			"HostConfig.SecurityOpt",
		],
		["a writable image", host({ ReadonlyRootfs: false }), "HostConfig.ReadonlyRootfs"],
		["a device", host({ Devices: [{ PathOnHost: "/dev/sda" }] }), "HostConfig.Devices"],
		["another runtime", host({ Runtime: "other" }), "HostConfig.Runtime"],
		["a control group of its own", host({ CgroupParent: "/" }), "HostConfig.CgroupParent"],
		["no bound of processes", host({ PidsLimit: -1 }), "HostConfig.PidsLimit"],
		["too much memory", host({ Memory: 2 ** 40 }), "HostConfig.Memory"],
		["a start with the machine", host({ RestartPolicy: { Name: "always" } }), "HostConfig.RestartPolicy"],
		["devices in a temporary file system", host({ Tmpfs: { "/tmp": "dev,size=1" } }), "HostConfig.Tmpfs./tmp"],
		["the user root", { ...good, User: "0:0" }, "User"],
		["the image's user", { ...good, User: undefined }, "User"],
		["another image", { ...good, Image: "debian:12" }, "Image"],
		["another installation", { ...good, Labels: { "atelier.installation": "j" } }, "Labels.atelier.installation"],
		["a foreign label", { ...good, Labels: { ...common.Labels, "traefik.enable": "true" } }, "Labels.traefik.enable"],
		["a volume of the image", { ...good, Volumes: { "/h": {} } }, "Volumes"],
		["a network beside", { ...good, NetworkingConfig: { EndpointsConfig: {} } }, "NetworkingConfig"],
		["no bounds at all", { ...good, HostConfig: undefined }, "HostConfig"],
		["a list instead", [good], "the request"],
	];
	for (const [what, body, member] of bad) {
		it(`refuses ${what}`, async () => {
			const { status, message } = await send("POST", create(session), body);
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});
	}

	it("does not pass on the first of two equal members, which the engine would not use either", async () => {
		const twice = JSON.stringify(good).replace(`"NetworkMode":"none"`, `"NetworkMode":"host","NetworkMode":"none"`);
		expect(await send("POST", create(session), twice)).to.include({ status: 201 });
		expect(reached[0]?.body).to.include(`"NetworkMode":"none"`).and.not.include('host"');
	});

	const badHelpers: readonly (readonly [what: string, change: object, member: string])[] = [
		["another command", { Cmd: ["sh", "-c", "id"] }, "Cmd"],
		["an owner of its own choice", { Cmd: ["chown", "-hR", "0:0", "/folder"] }, "Cmd"],
		["an entry point", { Entrypoint: ["sh"] }, "Entrypoint"],
		["two folders", { HostConfig: { ...goodHelper.HostConfig, Mounts: [mount, mount] } }, "HostConfig.Mounts"],
		["another capability", { HostConfig: { ...goodHelper.HostConfig, CapAdd: ["SYS_PTRACE"] } }, "HostConfig.CapAdd"],
	];
	for (const [what, change, member] of badHelpers) {
		it(`refuses a helper with ${what}`, async () => {
			const { status, message } = await send("POST", create(helper), { ...goodHelper, ...change });
			expect({ status, message }).to.deep.equal({
				status: 403,
				message: `The filter does not let this value of ${member} through`,
			});
			expect(reached).to.deep.equal([]);
		});
	}

	it("refuses what is no JSON, and more than a request has", async () => {
		expect(await send("POST", create(session), "{")).to.include({ status: 400 });
		expect(await send("POST", create(session), { ...good, Env: Array(300).fill("x".repeat(1_000)) })).to.include({
			status: 413,
		});
		expect(reached).to.deep.equal([]);
	});
});
