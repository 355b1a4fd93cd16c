/** `npm run doctor -- --machine` at an engine that has the image of sessions, at one that has it not, and without one. */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { EngineFilter } from "../../../cli/engine-filter/filter-server.ts";
import { listenAt } from "../../../cli/engine-filter/filter-socket.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const containers = "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime";

describe("npm run doctor -- --machine", function () {
	this.timeout(30_000);
	let folder: string;
	let socket: string;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-doctor-machine-"));
		socket = join(folder, "engine.sock");
	});
	afterEach(() => rm(folder, { recursive: true }));

	async function examined(variables: Record<string, string>): Promise<{ code: number | null; output: string }> {
		const program = spawn(process.execPath, ["cli/doctor.ts", "--machine"], {
			cwd: projectRoot,
			env: {
				PATH: process.env["PATH"],
				DATA_DIR: join(folder, "data"),
				PODS__RUNTIME__KWARGS__SOCKET: socket,
				...variables,
			},
			stdio: ["ignore", "pipe", "pipe"],
			timeout: 25_000,
		});
		const ended = once(program, "close");
		const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr)]);
		await ended;
		return { code: program.exitCode, output: output + errors };
	}

	/** Examines beside an engine that gives this answer about the image of sessions. */
	async function examinedAt(status: number, variables: Record<string, string>) {
		await using engine = createServer((_request, response) => {
			response.writeHead(status, { "content-type": "application/json" }).end("{}");
		});
		engine.listen(socket);
		await once(engine, "listening");
		const result = await examined(variables);
		engine.closeAllConnections();
		return result;
	}

	it("says that a start takes processes where there is no engine, and why", async () => {
		const { code, output } = await examined({});
		expect(code, output).to.equal(0);
		expect(output)
			.to.include(`Containers: not usable. No container engine listens at "${socket}"`)
			.and.include("Processes: usable")
			.and.include("Processes: Sessions have the rights of the user")
			.and.include("Sessions run as processes of this machine, and not in containers");
		expect(existsSync(join(folder, "data")), "nothing was made").to.equal(false);
	});

	it("says that a start takes containers where the engine has the image, and leaves no choice behind", async () => {
		const { code, output } = await examinedAt(200, { PODS__RUNTIME__ADAPTER: "auto" });
		expect(code, output).to.equal(0);
		expect(output).to.include("Containers: usable").and.include("Sessions run in containers");
		expect(existsSync(join(folder, "data")), "nothing was made").to.equal(false);
	});

	it("says beforehand that a filter is started for another platform, and that a start ends", async () => {
		const dataDir = join(folder, "data");
		const platform = {
			installation: "i",
			images: ["atelier/session"],
			owner: 231_001,
			dataDir: "/srv",
			maxMemory: 2 ** 40,
		};
		const filter = new EngineFilter({ engine: join(folder, "none.sock"), platform });
		await listenAt(filter.server, socket, { mode: 0o600, group: undefined });
		const { code, output } = await examined({});
		await filter.close();
		expect(code, output).to.equal(1);
		expect(output)
			.to.include("Containers: not usable. The filter of the container engine")
			.and.include(`change its --data-dir from /srv to ${dataDir}`)
			.and.include("Processes: usable")
			.and.include("A start ends at once");
		expect(existsSync(dataDir), "nothing was made").to.equal(false);
	});

	it("ends with 1 where the runtime that the configuration names lacks its image", async () => {
		const { code, output } = await examinedAt(404, { PODS__RUNTIME__ADAPTER: containers });
		expect(code, output).to.equal(1);
		expect(output)
			.to.match(/Containers: not usable\. .* has no image "atelier\/session" .*docker build --target session/)
			.and.include(`A start takes ${containers}`);
	});

	it("says what control groups would do where none can be made", async () => {
		const { output } = await examined({ PODS__RUNTIME__ADAPTER: "auto", PODS__RUNTIME__KWARGS__GROUPS: "none" });
		expect(output).to.include("Processes: A process of a session that clears its environment outlives the session");
	});
});
