/**
 * The limits of a session in a container: those that it asks for, and what becomes of one that exceeds them.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";

const mib = 2 ** 20;

describe("the limits of a session in a container", function () {
	this.timeout(240_000);
	let world: ContainedPlatform;

	before(async () => {
		const kwargs = { memory_mb: 1_024, max_memory_mb: 2_048, max_processors: 1, processors: 1, disk_mb: 400 };
		world = await ContainedPlatform.start({ kwargs: { ...kwargs, max_disk_mb: 1_000 } });
	});
	after(() => world[Symbol.asyncDispose]());

	const inspected = (id: string, what: string) =>
		world.engine.run("docker", "inspect", "-f", `{{.HostConfig.${what}}}`, world.containers(id)[0] ?? "").trim();
	const reason = async (id: string) => (await world.session(id)).status_reason?.code;

	it("are those that it asks for", async () => {
		const id = await world.running({ model: "", resource_config: { memory: "512Mi", cpu: "500m" } });
		expect(inspected(id, "Memory")).to.equal(String(512 * mib));
		expect(inspected(id, "NanoCpus")).to.equal("500000000");
		const usual = await world.running({ model: "" });
		expect(inspected(usual, "Memory")).to.equal(String(1_024 * mib));
	});

	it("are refused above what the operator allows, with the sentence that says so", async () => {
		const id = await world.create({ resource_config: { memory: "3Gi" } });
		await sessionReaches(world.api, id, "failed", 60_000);
		const { status_reason, error } = await world.session(id);
		expect(status_reason?.code).to.equal("POD_FORBIDDEN");
		expect(error).to.include("resource_config.memory asks for 3072 MB, and a session may have 2048 MB");
		expect(world.containers(id)).to.deep.equal([]);
	});

	it("end a session whose workspace is too large, and leave time to remove files", async () => {
		const large = await world.running({ model: "", resource_config: { disk: "900Mi" } });
		const id = await world.running({ model: "" });
		const write = "$ head -c 500000000 /dev/zero > big && echo written";
		for (const one of [large, id]) expect(await ask(world.api, one, write)).to.include("written");
		await sessionReaches(world.api, id, "failed", 90_000);
		expect(await reason(id)).to.equal("DISK_FULL");
		expect((await world.session(id)).error).to.match(/has 50\d MB, and may have 420 MB/);
		await world.api.post(`/sessions/${id}/start`);
		await sessionReaches(world.api, id, "running", 60_000);
		expect(await ask(world.api, id, "$ rm big && ls | wc -l")).to.include("0");
		expect(await reason(large), "it asked for more").to.equal("POD_READY");
	});

	it("count what a session writes beside its workspace", async () => {
		const id = await world.running({ model: "" });
		const places = ["/session-records/state/big", "/run/atelier/out/big"];
		for (const place of places) await ask(world.api, id, `$ head -c 250000000 /dev/zero > ${place} && echo written`);
		await sessionReaches(world.api, id, "failed", 90_000);
		expect(await reason(id)).to.equal("DISK_FULL");
	});

	it("count files that were removed while a program has them open", async function () {
		if (process.geteuid?.() !== 0) return this.skip();
		const id = await world.running({ model: "" });
		const hold = "exec 3> big; rm big; head -c 500000000 /dev/zero >&3; sleep 300";
		await ask(world.api, id, `$ setsid sh -c '${hold}' > /dev/null 2>&1 < /dev/null & echo begun`);
		await sessionReaches(world.api, id, "failed", 120_000);
		// It may be measured while the file grows.
		expect((await world.session(id)).error).to.match(/has (4[2-9]|50)\d MB, and may have 420 MB/);
	});

	it("end a session whose workspace cannot be measured, and leave time to mend it", async () => {
		const id = await world.running({ model: "" });
		const deep = 'for (let i = 0; i < 250; i++) { fs.mkdirSync("d"); process.chdir("d"); }';
		expect(await ask(world.api, id, `$ node -e '${deep}' && echo made`)).to.include("made");
		await sessionReaches(world.api, id, "failed", 120_000);
		expect(await reason(id)).to.equal("DISK_FULL");
		expect((await world.session(id)).error).to.include("too deep within each other, so nobody knows how large it is");
		await world.api.post(`/sessions/${id}/start`);
		await sessionReaches(world.api, id, "running", 60_000);
		expect(await ask(world.api, id, "$ rm -rf d && ls | wc -l")).to.include("0");
	});

	it("keep what a session writes to its log away from the engine", async () => {
		const id = await world.running({ model: "" });
		expect(await ask(world.api, id, "$ echo flood > /proc/1/fd/1; tail -n 1 /run/atelier/out/agent.log")).to.include(
			"flood",
		);
		expect(world.engine.run("docker", "logs", world.containers(id)[0] ?? "")).to.equal("");
	});

	it("end a command that uses more memory than the session has", async () => {
		const id = await world.running({ model: "" });
		const using = (mb: number) => `$ node -e 'Buffer.alloc(${mb} * 1e6, 1)' && echo whole || echo ended`;
		expect(await ask(world.api, id, using(300))).to.include("whole");
		expect(await ask(world.api, id, using(1_500))).to.include("ended");
	});
});
