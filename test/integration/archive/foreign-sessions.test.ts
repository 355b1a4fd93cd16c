/** Backups of sessions whose files belong to another user, as those of sessions in containers do. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Installation, SessionFiles } from "#host/archive/installation.ts";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { walkFolder } from "#shared/base/files/folder-walk.ts";
import { OwnedInstallation } from "../../support/archive/owned-installation.ts";
import { marks, smallInstallation } from "../../support/archive/small-installation.ts";
import { failureOf } from "../../support/failure-of.ts";
import { folderForAll, canBecomeUser, giveAway, nobody } from "../../support/machine/ordinary-user.ts";

const sessionsUser = 231_001;
const [first, second] = ["3f0c2a11-0000-4000-8000-000000000001", "3f0c2a11-0000-4000-8000-000000000002"];

describe("a backup of sessions with files of another user", () => {
	let folder: string;
	let source: Installation;

	/** Works as a platform that is not root. */
	async function asPlatform<Result>(work: () => Promise<Result>): Promise<Result> {
		process.seteuid?.(nobody);
		try {
			return await work();
		} finally {
			process.seteuid?.(0);
		}
	}

	/** Reads what sessions have, as root, before the backup. @param change Makes other values of those of the first session. */
	async function readerOf(change = (values: unknown[]): unknown[] => values): Promise<SessionFiles> {
		const read = new Map<string, unknown[]>();
		for (const id of [first, second]) {
			const values: unknown[] = [];
			for await (const entry of walkFolder(join(source.dataDir, "sessions", id))) values.push(entry);
			read.set(id, id === first ? change(values) : values);
		}
		return {
			async read(id) {
				return (async function* () {
					yield* read.get(id) ?? [];
				})();
			},
			async [Symbol.asyncDispose]() {},
		};
	}

	function backup(sessionFiles?: Installation["sessionFiles"]) {
		const place = { ...source, ...(sessionFiles && { sessionFiles }) };
		const order = { path: join(folder, "backup.gz"), kind: "backup", workspaces: true, say: () => {} } as const;
		return asPlatform(() => writeArchive(place, order));
	}

	/** Restores the archive and returns the folder of a session. */
	async function restored(id: string): Promise<string> {
		const target = smallInstallation(join(folder, "target"));
		const order = { path: join(folder, "backup.gz"), kind: "backup", force: false, withoutKey: true } as const;
		await restoreArchive(target, { ...order, say: () => {} });
		return join(target.dataDir, "sessions", id);
	}

	beforeEach(async function () {
		if (!canBecomeUser()) return this.skip();
		folder = folderForAll("foreign");
		source = smallInstallation(join(folder, "source"));
		const store = await source.newStore(join(source.dataDir, "store"));
		await store.open(source.collections);
		await store.insert(marks, { id: "mark", wire: "{}", text: "original" });
		await store.close();
		for (const id of [first, second]) {
			mkdirSync(join(source.dataDir, "sessions", id, "workspace"), { recursive: true });
			writeFileSync(join(source.dataDir, "sessions", id, "workspace", "work"), `of ${id}`);
		}
		giveAway(folder);
		for (const id of [first, second]) {
			const workspace = join(source.dataDir, "sessions", id, "workspace");
			for (const path of [workspace, join(workspace, "work")]) chownSync(path, sessionsUser, sessionsUser);
			chmodSync(workspace, 0o700);
		}
	});
	afterEach(() => {
		if (canBecomeUser()) rmSync(folder, { recursive: true });
	});

	it("is refused by their names, and nothing is written, where nobody can read them", async () => {
		for (const reader of [undefined, async () => undefined]) {
			const { message } = await failureOf<Error>(backup(reader));
			for (const id of [first, second]) expect(message).to.include(`"${join(source.dataDir, "sessions", id)}"`);
			expect(message).to.include("without --workspaces");
			expect(readdirSync(folder)).to.deep.equal(["source"]);
		}
	});

	it("is refused with the reason when the runtime cannot read now", async () => {
		const away = async (): Promise<never> => {
			throw new Error("The container engine does not answer");
		};
		const asked = await failureOf<Error>(backup(async () => ({ read: away, async [Symbol.asyncDispose]() {} })));
		for (const { message } of [await failureOf<Error>(backup(away)), asked]) {
			expect(message).to.include("The container engine does not answer").and.include(first);
			expect(readdirSync(folder)).to.deep.equal(["source"]);
		}
	});

	it("has what the runtime reads, for the user who restores it", async () => {
		const reader = await readerOf();
		const { missing } = await backup(async () => reader);
		expect(missing.join("\n")).not.to.include("sessions/");
		const work = join(await restored(second), "workspace", "work");
		expect(readFileSync(work, "utf8")).to.equal(`of ${second}`);
		expect(readFileSync(work.replace(second, first), "utf8")).to.equal(`of ${first}`);
	});

	for (const [what, value] of [
		["leads out of it", { path: "../../escaped", kind: "file", mode: 0o600, data: "" }],
		["is below no folder", { path: "absent/file", kind: "file", mode: 0o600, data: "" }],
		["comes twice", { path: "workspace", kind: "folder", mode: 0o700 }],
		["is no entry", "something"],
	] as const)
		it(`names a session of which an entry ${what}, and has the other ones`, async () => {
			const reader = await readerOf((values) => [...values, value]);
			const { missing } = await backup(async () => reader);
			expect(missing.join("\n")).to.include(`Files of "sessions/${first}": the last ones could not be read`);
			expect(missing.join("\n")).not.to.include(second);
			expect(existsSync(join(await restored(second), "workspace", "work"))).to.equal(true);
			expect(existsSync(join(folder, "escaped"))).to.equal(false);
		});
});

describe("the command backup, as a user who may not read the files of sessions", function () {
	this.timeout(60_000);

	it("is refused by the names of the sessions where no engine answers, and makes one without them", async function () {
		if (!canBecomeUser()) return this.skip();
		using made = await OwnedInstallation.make();
		const workspace = join(made.dataDir, "sessions", first, "workspace");
		mkdirSync(workspace, { recursive: true });
		chownSync(join(workspace, ".."), nobody, nobody);
		chownSync(workspace, sessionsUser, sessionsUser);
		const adapter = "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime";
		const runtime = { adapter, kwargs: { socket: join(made.folder, "absent.sock") } };
		const file = join(made.folder, "backup.gz");
		const refused = await made.run(runtime, ["backup", "--workspaces", file]);
		expect(refused.output)
			.to.include(join(made.dataDir, "sessions", first))
			.and.include("absent.sock");
		expect([refused.code, existsSync(file)]).to.deep.equal([1, false]);
		const without = await made.run(runtime, ["backup", file]);
		expect(without.output).to.include("Not in the archive: The files of sessions");
		expect(without.code).to.equal(0);
	});
});
