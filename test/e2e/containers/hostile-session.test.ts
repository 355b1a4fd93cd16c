/**
 * A hostile session in a container: each way to another session, the platform, its host or the network is refused. Each has its
 * control: the same words succeed in a container from which the protection was taken, or where it does not apply.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import { CompanyNetwork } from "../../support/containers/company-network.ts";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { sessionImage } from "../../support/containers/session-image.ts";
import { ask } from "../../support/platform/session-steps.ts";

/** Addresses of this machine: one that the operator names by mistake, and one that is not named. */
const mistaken = "127.0.0.78";
const other = "127.0.0.77";
const neighbour = "the neighbour's words";
const user = "231001:231001";

interface Way {
	readonly name: string;
	readonly words: () => string;
	/** The outcome of the words in a session. */
	readonly refused: RegExp;
	/** Switches of a container without the protection, and the outcome there. */
	readonly control: () => readonly string[];
	readonly done: RegExp;
}

/** A program that connects to a port or a socket, and says what came of it. */
function connecting(to: string): string {
	const on = `.on("connect",()=>{console.log("connected");process.exit()}).on("error",(e)=>console.log(e.code))`;
	return `node -e 'require("net").connect(${to})${on}'`;
}

describe("a hostile session in a container", function () {
	this.timeout(240_000);
	const all = new AsyncDisposableStack();
	let world: ContainedPlatform;
	let company: CompanyNetwork;
	let victim: string;
	let attacker: string;
	let victimPid: string;
	const data = () => world.platform.dataDir;
	const run = () => {
		const name = readdirSync(join(data(), "run"), { recursive: true, encoding: "utf8" }).find((path) =>
			path.endsWith(`${victim}-g1/in`),
		);
		if (name === undefined) throw new Error("The victim has no folder of sockets");
		return join(data(), "run", name, "..");
	};

	before(async () => {
		for (const address of [mistaken, other]) {
			const server = createServer((_request, response) => void response.end("internal"));
			server.listen(80, address);
			await once(server, "listening");
			all.defer(() => void server.close());
		}
		company = all.use(await CompanyNetwork.start());
		await company.publish(`http://${other}:80`);
		const kwargs = { internal_hosts: [...company.addresses, mistaken], warm: 1 };
		world = all.use(await ContainedPlatform.start({ kwargs }));
		victim = await world.running({ model: "" });
		attacker = await world.running({ model: "" });
		for (const id of [victim, attacker]) expect(world.hasWaited(id)).to.equal(true);
		expect(await ask(world.api, victim, `$ echo "${neighbour}" > kept; cat kept`)).to.include(neighbour);
		const [container = ""] = world.containers(victim);
		victimPid = world.engine.run("docker", "inspect", "-f", "{{.State.Pid}}", container).trim();
		// The metadata of a cloud would be in the network of the engine's host.
		for (const address of ["169.254.169.254/32", "10.0.0.1/32"]) {
			const added = world.engine.inside("ip", ["addr", "add", address, "dev", "lo"]);
			await once(added, "exit");
		}
		const program = `require("http").createServer((q,s)=>s.end("metadata")).listen(80,()=>console.log("listens"))`;
		const host = world.engine.inside(process.execPath, ["-e", program]);
		all.defer(() => void host.kill());
		if (host.stdout) await once(host.stdout, "data");
	});
	after(() => all.disposeAsync());

	const inSession = (words: string) => ask(world.api, attacker, `$ (${words}) 2>&1`);
	/** Runs the words in a container of the engine with the user of sessions and these switches. */
	const inControl = (switches: readonly string[], words: string) => {
		const network = switches.includes("--network") ? [] : ["--network", "none"];
		const base = ["run", "--rm", "--entrypoint", "sh", ...network];
		return world.engine.run("docker", ...base, ...switches, sessionImage, "-c", `(${words}) 2>&1 || true`);
	};
	const mounted = (path: string) => ["-u", "0:0", "-v", `${path}:${path}`];
	const onHost = ["-u", user, "--network", "host"];

	const ways: readonly Way[] = [
		{
			name: "the files of another session",
			words: () => `cat ${data()}/sessions/${victim}/workspace/kept`,
			refused: /No such file/,
			control: () => mounted(join(data(), "sessions")),
			done: new RegExp(neighbour),
		},
		{
			name: "the socket of another session's agent",
			words: () => connecting(`"${run()}/out/agent.sock"`),
			refused: /^ENOENT\n$/,
			control: () => mounted(run()),
			done: /^connected\n$/,
		},
		{
			name: "the platform's socket of another session",
			words: () => connecting(`"${run()}/in/api.sock"`),
			refused: /^ENOENT\n$/,
			control: () => mounted(run()),
			done: /^connected\n$/,
		},
		{
			name: "the processes of another session",
			words: () => `tr '\\0' ' ' < /proc/${victimPid}/cmdline`,
			refused: /No such file|cannot open/,
			control: () => ["-u", user, "--pid", "host"],
			done: /agent\/main\.ts/,
		},
		{
			name: "the platform's data",
			words: () => `ls ${data()}`,
			refused: /No such file/,
			control: () => mounted(data()),
			done: /sessions/,
		},
		{
			name: "the engine's socket",
			words: () => connecting(`"${world.engine.socket}"`),
			refused: /^ENOENT\n$/,
			control: () => mounted(world.engine.socket),
			done: /^connected\n$/,
		},
		{
			name: "the ports of the host",
			words: () => connecting(`80,"10.0.0.1"`),
			refused: /^ENETUNREACH\n$/,
			control: () => onHost,
			done: /^connected\n$/,
		},
		{
			name: "the metadata address",
			words: () => connecting(`80,"169.254.169.254"`),
			refused: /^ENETUNREACH\n$/,
			control: () => onHost,
			done: /^connected\n$/,
		},
		{
			name: "the files of the system",
			words: () => "touch /usr/here && echo written",
			refused: /Read-only file system|Permission denied/,
			control: () => ["-u", "0:0"],
			done: /^written\n$/,
		},
		{
			name: "the sockets of the platform's folder",
			words: () => "rm -f /run/atelier/in/api.sock && echo removed",
			refused: /Read-only file system/,
			control: () => ["-u", user, "--tmpfs", "/run/atelier/in:mode=777"],
			done: /^removed\n$/,
		},
		{
			name: "the settings of the kernel",
			words: () => ": > /proc/sys/net/ipv4/ip_forward && echo opened",
			refused: /Read-only file system|Permission denied/,
			control: () => ["-u", "0:0", "--security-opt", "systempaths=unconfined"],
			done: /^opened\n$/,
		},
		{
			name: "rights of its own namespace of users",
			words: () => "unshare -U true && echo made",
			refused: /Operation not permitted/,
			control: () => ["-u", user, "--security-opt", "seccomp=unconfined"],
			done: /^made\n$/,
		},
	];

	for (const { name, words, refused, control, done } of ways)
		it(`does not reach ${name}`, async () => {
			expect(inControl(control(), words())).to.match(done);
			expect(await inSession(words())).to.match(refused);
		});

	/** A program that asks for a URL through a port of loopback, with a proxy's form if it is the way out. */
	function requesting(port: number, path: string, more: object = {}): string {
		const options = JSON.stringify({ host: "127.0.0.1", port, path, ...more });
		const read = `(r)=>{let t="";r.on("data",(c)=>t+=c).on("end",()=>console.log(r.statusCode,t))}`;
		return `node -e 'require("http").request(${options},${read}).on("error",(e)=>console.log(e.code)).end()'`;
	}

	/** A program that asks the way out for a connection to port 443 of a host. */
	function tunnelling(host: string): string {
		const options = JSON.stringify({
			host: "127.0.0.1",
			port: doorWays.egress.port,
			method: "CONNECT",
			path: `${host}:443`,
		});
		const said = "(r)=>{console.log(r.statusCode);process.exit()}";
		return `node -e 'require("http").request(${options}).on("connect",${said}).on("error",(e)=>console.log(e.code)).end()'`;
	}

	/** A machine of the company, which the operator names. */
	const named = () => company.addresses[0] ?? "";

	it("does not leave by other names of addresses that are not public", async () => {
		expect(await inSession(tunnelling(named())), "the control").to.equal("200\n");
		for (const host of [other, mistaken, "[::ffff:127.0.0.77]", "169.254.169.254", "10.0.0.1", "0.0.0.0", "[::1]"])
			expect(await inSession(requesting(doorWays.egress.port, `http://${host}/`)), host).to.match(/^403 /);
		// These forms are addresses for some programs and names for others; the proxy's URL decides.
		for (const host of ["2130706509", "0x7f00004d", "0177.0.0.77", "localhost"])
			expect(await inSession(requesting(doorWays.egress.port, `http://${host}/`)), host).to.match(/^(403|502) /);
	});

	it("does not leave by ports that are not those of the web and of git", async () => {
		const { port } = new URL(world.platform.prefix);
		expect(await inSession(requesting(doorWays.egress.port, `http://${named()}:${port}/`))).to.match(
			/^403 .*22, 80, 443/,
		);
		expect(await inSession(tunnelling(named())), "the control").to.equal("200\n");
	});

	it("has the usual ports for servers of its own", async () => {
		for (const port of [3000, 3128, 8000, 8080]) {
			const served = `require("http").createServer().listen(${port},"127.0.0.1",()=>{console.log("free");process.exit()})`;
			expect(await inSession(`node -e '${served}.on("error",(e)=>console.log(e.code))'`), String(port)).to.equal(
				"free\n",
			);
		}
	});

	it("does not speak for another session, nor without its own token", async () => {
		const key = openInstallationKey(data(), "");
		const { pathname } = new URL(world.platform.prefix);
		const asks = (token: string | undefined, id: string) => {
			const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
			const path = `${pathname}/sessions/${id}/reservations/none`;
			return inSession(requesting(doorWays.platform.port, path, { method: "DELETE", headers }));
		};
		const own = key.podToken(attacker, 1);
		expect(await asks(own, attacker), "the control").to.match(/^204 /);
		expect(await asks(undefined, attacker)).to.equal("401 \n");
		expect(await asks(key.podToken(victim, 1), victim)).to.equal("401 \n");
		expect(await asks(own, victim)).to.match(/^404 .*The key of a pod/);
	});
});
