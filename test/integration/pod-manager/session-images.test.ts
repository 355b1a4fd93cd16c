/** The session agent for images of others: real copies of this program, and an engine that has every image. */
import { expect } from "chai";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { SessionImages } from "#services/pod-manager/pod-runtimes/containers/images/session-images.ts";
import { inspectedContainer } from "#services/pod-manager/pod-runtimes/containers/inspected-container.ts";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { eventually } from "../../support/eventually.ts";

const settings = { image: "own", images: ["other"], user: 231_002 };

describe("the session agent for images of others", function () {
	this.timeout(120_000);
	const root = mkdtempSync(join(tmpdir(), "atelier-images-"));
	const folder = join(root, "session-agent");
	const socket = join(root, "engine.sock");
	const engine = new EngineClient(socket);
	const server = createServer((_request, response) => {
		response.writeHead(200, { "content-type": "application/json" }).end('{"Config":{}}');
	});

	before(async () => {
		server.listen(socket);
		await once(server, "listening");
	});
	after(() => {
		engine.close();
		server.close();
		rmSync(root, { recursive: true });
	});

	it("is copied while launches are told that they wait, and names the user of sessions", async () => {
		const images = new SessionImages(engine, settings, folder, 0);
		const refusal: unknown = await images.planOf("other").catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(PodRefused).and.to.include({ code: "VOLUME_MOUNT_FAILED", final: false });
		const plan = await eventually(() => images.planOf("other").catch(() => undefined), {
			withinMs: 100_000,
			what: "the agent is copied",
		});
		const passwd = readFileSync(join(plan.delivery ?? "", "etc/passwd"), "utf8");
		expect(passwd).to.include("agent:x:231002:231002::/home/agent:/bin/sh\n");
	});

	it("is not copied any further when the runtime is closed, and leaves nothing unfinished", async () => {
		const own = join(root, "closed");
		const images = new SessionImages(engine, settings, own, 0);
		const left = () => (existsSync(own) ? readdirSync(own) : []);
		await images.planOf("other").catch(() => {});
		await eventually(() => left().length > 0, { withinMs: 30_000, everyMs: 5, what: "the copying has begun" });
		await images.close();
		expect(left()).to.deep.equal([]);
		await images.planOf("other").catch(() => {});
		await images.close();
		expect(left()).to.deep.equal([]);
	});

	it("is removed when it is of another release, old, and in no container", async () => {
		const images = new SessionImages(engine, settings, folder);
		const { delivery: own = "" } = await images.planOf("other");
		const hourAgo = Date.now() / 1_000 - 3_700;
		const old = (name: string): string => {
			const path = join(folder, name);
			mkdirSync(join(path, "lib"), { recursive: true });
			utimesSync(path, hourAgo, hourAgo);
			return path;
		};
		const [used] = [old("used"), old("unused"), old("unused.0123456789abcdef")];
		mkdirSync(join(folder, "young.0123456789abcdef"));
		utimesSync(own, hourAgo, hourAgo);
		const container = (Mounts?: object[]) => ({
			launch: { sessionId: "s", generation: 1 },
			container: inspectedContainer({
				Id: "c",
				Name: "/c",
				Created: "2026-11-27T20:00:00Z",
				State: { Status: "running", OOMKilled: false, ExitCode: 0, Error: "", StartedAt: "", FinishedAt: "" },
				Config: { Labels: {} },
				...(Mounts && { Mounts }),
			}),
		});
		await images.tend({ list: async () => [container([{ Source: used }]), container()] });
		expect(readdirSync(folder), "one container does not tell what it has").to.have.length(5);
		await images.tend({ list: async () => [container([{ Source: used }]), container([{}])] });
		expect(readdirSync(folder).map((name) => join(folder, name))).to.have.members([
			own,
			used,
			join(folder, "young.0123456789abcdef"),
		]);
		rmSync(own, { recursive: true });
		expect(
			existsSync((await new SessionImages(engine, settings, folder, 100_000).planOf("other")).delivery ?? ""),
		).to.equal(true);
	});
});
