/**
 * docker-compose.yml with docker-compose.engine.yml, brought up by a real Docker engine: a session runs in a container of its
 * own, and only the filter has the engine's socket.
 * Night: it builds images and starts ten containers, as root.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { dirname } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { type Caller, ComposeEngineProject } from "../../support/installations/compose-engine-project.ts";

describe("docker-compose up, with an engine for sessions", function () {
	this.timeout(900_000);
	let project: ComposeEngineProject;
	let asAda: Caller;

	const docker = (...args: string[]): string => project.engine.run("docker", ...args);
	const containerOf = (service: string): string => `${project.name}_${service}_1`;

	before(async () => {
		project = await ComposeEngineProject.prepared();
		await project.up();
		const password = `password=${project.secret("LOGIN_PASSWORD_ADA")}`;
		const form = ["grant_type=password", "username=ada", password].flatMap((part) => ["-d", part]);
		const login = await project.call<{ access_token: string }>("http://127.0.0.1:8081/token", ...form);
		asAda = project.caller(login.access_token);
	});
	after(() => project?.[Symbol.asyncDispose]());

	it("runs a session in a container of its own, without a network, until it is deleted", async () => {
		const id = await project.runningSession(asAda);
		const form = "{{.HostConfig.NetworkMode}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}}";
		expect(docker("inspect", "-f", form, `session-${id}-g1`).trim()).to.equal("none 231001:231001 true");
		const message = JSON.stringify({ content: "$ echo said > file.txt; cat file.txt" });
		await asAda(`/sessions/${id}/messages`, "-d", message);
		const hasAnswered = async () => JSON.stringify(await asAda(`/sessions/${id}/conversation`)).includes("said\\n");
		await eventually(hasAnswered, { withinMs: 60_000, everyMs: 500, what: "the session answers" });
		expect(JSON.stringify(await asAda(`/sessions/${id}/diff`))).to.include("file.txt");
		expect(JSON.stringify(await asAda(`/sessions/${id}/logs`))).to.include("The coding agent is ready");
		await asAda(`/sessions/${id}`, "-X", "DELETE").catch(() => undefined);
		const left = () => docker("ps", "-aq", "--filter", "name=session-").trim() === "";
		await eventually(left, { withinMs: 60_000, everyMs: 500, what: "the container is removed" });
	});

	it("gives the engine's socket to the filter only", () => {
		expect(docker("exec", containerOf("engine-filter"), "ls", "/run/host")).to.include("docker.sock");
		const form = "{{range .Mounts}}{{println .Source}}{{end}}";
		const mounts = (service: string) => docker("inspect", "-f", form, containerOf(service)).split("\n");
		const socketFolder = dirname(project.engine.socket);
		expect(mounts("engine-filter")).to.include(socketFolder);
		for (const name of ["pod-manager", "core", "gateway-1", "gateway-2", "login"])
			expect(mounts(name), name).to.not.include(socketFolder);
	});

	it("leaves nothing behind", () => {
		project.compose("down", "-v");
		expect(docker("ps", "-aq").trim()).to.equal("");
	});
});
