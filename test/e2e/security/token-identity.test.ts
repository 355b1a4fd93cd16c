/** The identity `token`: one person with the token in the data folder, at any address of the gateway. */
import { expect } from "chai";
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { createSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const env = { IDENTITY__ADAPTER: "services/gateway/identity-providers/token.ts#TokenIdentity" };

describe("the identity `token`", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	let token: string;

	before(async () => {
		platform = await startPlatform({ env });
		token = readFileSync(join(platform.dataDir, "keys", "api"), "utf8");
	});
	after(() => platform?.[Symbol.asyncDispose]());

	function bearer(): Record<string, string> {
		return { authorization: `Bearer ${token}` };
	}

	/** Logs in like a browser; returns the cookie that it would send. */
	async function cookie(): Promise<string> {
		const answer = await fetch(`${platform.url}/?token=${token}`, { redirect: "manual" });
		expect([answer.status, answer.headers.get("location")]).to.deep.equal([303, "/docs"]);
		const [pair = "", ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
		expect(attributes).to.include.members(["HttpOnly", "SameSite=Strict"]);
		return pair;
	}

	it("stores its token in a file for the own user, and prints it as part of a URL (H1)", () => {
		const { mode } = statSync(join(platform.dataDir, "keys", "api"));
		expect(mode & 0o777).to.equal(0o600);
		expect(platform.output).to.include(`Atelier listens on ${platform.url}/?token=${token}`);
	});

	it("names the variable with the token in the command for a first session", () => {
		expect(platform.output).to.include(
			`from a second terminal: ATELIER_TOKEN=… ATELIER_URL=${platform.url} npm run demo)`,
		);
	});

	it("refuses callers without the token, also of the own user, and accepts callers with it (H1)", async () => {
		const wrong = { authorization: `Bearer ${token.slice(0, -1)}` };
		for (const headers of [{}, wrong, { cookie: `token=${token}` }]) {
			const { status, text } = await platform.client(headers).get("/sessions");
			expect([status, JSON.parse(text)]).to.deep.equal([401, { detail: "Authentication required" }]);
		}
		expect((await platform.client(bearer()).get("/sessions")).status).to.equal(200);
		expect((await fetch(`${platform.url}/ready`)).status).to.equal(200);
	});

	it("gives a browser a cookie for the token in a URL, for requests, streams and chats (H1)", async () => {
		const headers = { cookie: `other=1; ${await cookie()}` };
		expect((await platform.client(headers).get("/sessions")).status).to.equal(200);
		const stream = await platform.events({ headers });
		const { id } = await createSession(platform.client(headers));
		await stream.event(({ event }) => event === "session_created");
		await stream.close();
		const foreign = await platform.client({ ...headers, origin: "http://127.0.0.1:1" }).get("/sessions");
		expect(foreign.status, "a page elsewhere").to.equal(403);
		const { url } = platform;
		await eventually(() => opens(`${url.replace("http", "ws")}/s/${id}/session`, headers), { withinMs: 30_000 });
		expect(await opens(`${url.replace("http", "ws")}/s/${id}/session`, {}), "without a cookie").to.equal(false);
	});

	it("accepts a browser that has cookies of the same name from a server on another port", async () => {
		const own = await cookie();
		const [name = ""] = own.split("=");
		for (const shown of [`${name}=x; ${own}`, `${own}; ${name}=`]) {
			expect((await platform.client({ cookie: shown }).get("/sessions")).status, shown).to.equal(200);
		}
		expect((await platform.client({ cookie: `${name}=x; ${name}=` }).get("/sessions")).status).to.equal(401);
	});

	it("gives no cookie for a wrong token, and ignores other query parameters", async () => {
		const wrong = await fetch(`${platform.url}/?token=${token}x`, { redirect: "manual" });
		expect([wrong.status, wrong.headers.get("set-cookie")]).to.deep.equal([401, null]);
		const other = await fetch(`${platform.url}/?tokens=1`);
		expect([other.status, other.headers.get("set-cookie")]).to.deep.equal([200, null]);
	});

	it("lets npm run demo find the token (H1)", async () => {
		const { port } = new URL(platform.url);
		const here = { PATH: process.env["PATH"], ...env, DATA_DIR: platform.dataDir, PORT: port };
		const { stdout } = await promisify(execFile)(process.execPath, ["cli/demo.ts"], { cwd: projectRoot, env: here });
		expect(stdout).to.include("all steps");
	});

	it("has the same token after the next start at any address (H1)", async () => {
		await platform.stop();
		const open = platform.startProcess([], { HOST: "0.0.0.0" });
		platform.processes = [open];
		await platform.ready();
		expect((await platform.client(bearer()).get("/sessions")).status).to.equal(200);
		expect((await platform.client().get("/sessions")).status).to.equal(401);
	});
});

/** Resolves with whether a WebSocket opens. */
function opens(url: string, headers: Record<string, string>): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = new WebSocket(url, { headers });
		socket.once("error", () => resolve(false));
		socket.once("open", () => {
			socket.close();
			resolve(true);
		});
	});
}
