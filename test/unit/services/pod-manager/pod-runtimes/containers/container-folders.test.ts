import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { helperKinds } from "../../../../../../cli/engine-filter/helper-kinds.ts";
import { ContainerFolders } from "#services/pod-manager/pod-runtimes/containers/container-folders.ts";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FolderHelpers } from "#services/pod-manager/pod-runtimes/containers/helpers/folder-helpers.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { SessionFolders } from "#services/pod-manager/pod-runtimes/machine/session-folders.ts";
import type { FakeContainer } from "../../../../../support/containers/fake-container.ts";
import { FakeEngine } from "../../../../../support/containers/fake-engine.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

/** The user of sessions, to whom everybody may give his files. */
const user = process.geteuid?.() || 231_001;

describe("ContainerFolders of a platform that is not root", () => {
	const root = useFolder();
	const id = randomUUID();
	let engine: FakeEngine;
	let client: EngineClient;
	let folders: ContainerFolders;
	let folder: string;
	/** The commands of helpers, by their tasks. */
	let commands: Map<string, readonly string[]>;
	/** Happens just before the helper with this task works. */
	let before: Partial<Record<string, () => void>>;

	beforeEach(async () => {
		engine = new FakeEngine();
		await engine.start();
		engine.work = work;
		[commands, before] = [new Map(), {}];
		client = new EngineClient(engine.socket);
		const sessions = new SessionFolders(root());
		const short = new ShortContainers(client, "0123456789abcdef");
		const helpers = new FolderHelpers(short, containersSettings({ socket: engine.socket, user }));
		folders = new ContainerFolders({ root: root(), sessions, user, helpers });
		folder = await folders.make(id);
	});
	afterEach(async () => {
		client.close();
		await engine[Symbol.asyncDispose]();
	});

	/** Carries out the command of a helper in its folder. */
	async function work({ request }: FakeContainer): Promise<number> {
		const task = request.Labels["atelier.helper"] ?? "";
		commands.set(task, request.Cmd ?? []);
		before[task]?.();
		const { Source = "" } = request.HostConfig.Mounts?.[0] ?? {};
		const [program = "", ...words] = (request.Cmd ?? []).map((word) => word.replace(/^\/folder/, Source));
		return spawnSync(program, words).status ?? 1;
	}

	function put(...names: string[]): void {
		for (const name of names) {
			mkdirSync(join(folder, name));
			writeFileSync(join(folder, name, "file"), "content");
		}
	}

	function sizeOf(sessionId: string): ReturnType<ContainerFolders["size"]> {
		const files = { ids: [sessionId], beside: [], containers: [] };
		return folders.size(files, { signal: AbortSignal.timeout(10_000) });
	}

	it("make folders in which every user may write, whose content is the session's", async () => {
		put("state");
		await folders.make(id);
		expect(lstatSync(folder).mode & 0o777).to.equal(0o777);
		expect(lstatSync(join(folder, "state", "file")).uid).to.equal(user);
	});

	it("remove the records of a session, and keep its workspace", async () => {
		put("state", "workspace", "beside");
		await folders.removeRecords(id);
		expect(readdirSync(folder)).to.have.members(["workspace", "beside"]);
		await folders.removeWorkspace(id);
		expect(existsSync(folder)).to.equal(false);
	});

	it("remove what commands have put beside, and follow no link", async () => {
		const secret = join(root(), "secret");
		writeFileSync(secret, "content");
		put("state", "-rf", "a\nb", "*");
		symlinkSync(root(), join(folder, "link"));
		await folders.removeRecords(id);
		expect(existsSync(folder)).to.equal(false);
		expect(existsSync(secret)).to.equal(true);
	});

	it("keep what a new session makes while the folder is tidied", async () => {
		put("state", "beside");
		before["removeOthers"] = () => put("workspace.partial", "state");
		await folders.removeRecords(id);
		expect(readdirSync(folder)).to.have.members(["workspace.partial", "state"]);
		expect(existsSync(join(folder, "workspace.partial", "file"))).to.equal(true);
	});

	it("need no helper for a folder that is not there or empty", async () => {
		expect(await sizeOf(id)).to.include({ bytes: 0 });
		expect(await sizeOf(randomUUID())).to.include({ bytes: 0 });
		await folders.removeRecords(id);
		await folders.removeRecords(randomUUID());
		expect([...commands.keys()]).to.deep.equal([]);
		expect(existsSync(folder)).to.equal(false);
	});

	it("use the commands that the filter of an engine knows", async () => {
		put("state", "workspace", "beside");
		await folders.make(id);
		await sizeOf(id);
		await folders.removeRecords(id);
		await folders.removeWorkspace(id);
		const agent = join(root(), "out");
		mkdirSync(join(agent, "folder"), { recursive: true });
		await folders.clear(agent);
		expect(readdirSync(agent)).to.deep.equal([]);
		const known = helperKinds({ owner: user, dataDir: root() });
		const used = known.filter(({ kind }) => commands.has(kind)).map(({ kind, command }) => [kind, command]);
		expect(Object.fromEntries(commands)).to.deep.equal(Object.fromEntries(used));
		expect(commands.size).to.be.at.least(5);
	});
});
