import { expect } from "chai";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderSizes, type SizeTerms } from "#shared/wire/pod/size/folder-size.ts";
import { pathIn } from "#services/pod-manager/pod-runtimes/machine/folder-entries.ts";

const big = Buffer.alloc(1_000_000, "x");

describe("FolderSizes", () => {
	const sizes = new FolderSizes();
	let root: string;

	beforeEach(() => (root = mkdtempSync(join(tmpdir(), "atelier-size-"))));
	after(() => sizes.close());
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	const size = (terms: Partial<SizeTerms> = {}, folders = [root]) =>
		sizes.of(folders, { signal: new AbortController().signal, ...terms });

	it("counts blocks of the disk in all folders together, and follows no link", async () => {
		for (const name of ["one", "two/inner"]) {
			mkdirSync(join(root, name), { recursive: true });
			writeFileSync(join(root, name, "big"), big);
		}
		symlinkSync("/", join(root, "one", "link"));
		const blocks = statSync(join(root, "one", "big")).blocks * 512;
		const folders = [join(root, "one"), join(root, "two"), join(root, "absent")];
		const found = await size({}, folders);
		expect(found).to.deep.include({ entries: 4, hasUnreadable: false });
		expect(found.partial).to.equal(undefined);
		expect(found.bytes).to.be.within(2 * blocks, 2 * blocks + 100_000);
		expect((await size({}, [join(root, "absent")])).bytes).to.equal(0);
	});

	it("counts a file with several names once, as du does", async () => {
		writeFileSync(join(root, "big"), big);
		const alone = await size();
		for (let index = 0; index < 50; index++) linkSync(join(root, "big"), join(root, `link ${index}`));
		expect((await size()).bytes).to.equal(alone.bytes);
	});

	it("says that a folder with more entries than are counted was not counted whole (finding 7)", async () => {
		writeFileSync(join(root, "linked"), "");
		mkdirSync(join(root, "links"));
		for (let index = 0; index < 1_000; index++) linkSync(join(root, "linked"), join(root, "links", String(index)));
		writeFileSync(join(root, "hidden"), big);
		expect((await size()).partial).to.equal(undefined);
		expect(await size({ maxEntries: 500 })).to.include({ partial: "entries", entries: 500 });
	});

	it("counts folders whose paths are longer than the system takes", async () => {
		const name = JSON.stringify("d".repeat(200));
		const inDepth = (script: string) => execFileSync(process.execPath, ["-e", script], { cwd: root });
		inDepth(
			`for (let i = 0; i < 30; i++) { fs.mkdirSync(${name}); process.chdir(${name}); } fs.writeFileSync("big", Buffer.alloc(1e6, "x"));`,
		);
		const found = await size();
		inDepth(`
			for (let i = 0; i < 30; i++) process.chdir(${name});
			fs.rmSync("big");
			for (let i = 0; i < 30; i++) { process.chdir(".."); fs.rmdirSync(${name}); }`);
		expect(found.partial).to.equal(undefined);
		expect(found.bytes).to.be.above(1_000_000);
	});

	it("says so for folders that lie too deep within each other, and counts the others", async () => {
		mkdirSync(join(root, "d/".repeat(210)), { recursive: true });
		writeFileSync(join(root, "big"), big);
		const found = await size();
		expect(found.partial).to.equal("depth");
		expect(found.bytes).to.be.above(1_000_000);
	});

	/** Runs a script again and again in the folder, in a process of its own, until the returned function is called. */
	async function whileChanging(script: string): Promise<() => Promise<void>> {
		const program = `let n = 0; const turn = () => { ${script} }; setInterval(turn, 1); console.log("begins");`;
		const child = spawn(process.execPath, ["-e", program], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
		await once(child.stdout, "data");
		return async () => {
			child.kill("SIGKILL");
			await once(child, "exit");
		};
	}

	it("says nothing of changes where entries come and go all the time, and counts the others", async () => {
		for (let index = 0; index < 1_000; index++) mkdirSync(join(root, `e${index}`));
		writeFileSync(join(root, "big"), big);
		const end = await whileChanging(
			"fs.mkdirSync(`t${++n}`); fs.writeFileSync(`t${n}/f`, ''); fs.rmSync(`t${n - 5}`, { recursive: true, force: true })",
		);
		const found = [];
		for (let times = 0; times < 5; times++) found.push(await size());
		await end();
		for (const one of found) expect(one).to.not.have.property("partial");
		for (const { bytes } of found) expect(bytes).to.be.within(1_000_000, 20_000_000);
	});

	it("counts a folder that is renamed again and again, or says that it could not", async () => {
		for (let index = 0; index < 1_000; index++) mkdirSync(join(root, `e${index}`));
		mkdirSync(join(root, "r0"));
		writeFileSync(join(root, "r0", "big"), Buffer.alloc(20_000_000));
		for (const times of [1, 200]) {
			const end = await whileChanging(`
				globalThis.last ??= fs.readdirSync(".").find((name) => name.startsWith("r"));
				for (let i = 0; i < ${times}; i++) fs.renameSync(last, (last = "r" + process.hrtime.bigint()));`);
			const found = [];
			for (let count = 0; count < 10; count++) found.push(await size());
			await end();
			const hidden = found.filter(({ bytes, partial }) => bytes < 20_000_000 && partial === undefined);
			expect(hidden, `${times} times at once`).to.deep.equal([]);
		}
	});

	it("counts a file that is renamed again and again, and counts it once", async () => {
		for (let index = 0; index < 2_000; index++) writeFileSync(join(root, `e${index}`), "");
		writeFileSync(join(root, "big"), Buffer.alloc(20_000_000));
		const end = await whileChanging(
			"for (let i = 0; i < 200; i++) fs.renameSync(++n % 2 ? 'big' : 'gib', n % 2 ? 'gib' : 'big')",
		);
		const found = [];
		for (let count = 0; count < 10; count++) found.push((await size()).bytes);
		await end();
		expect(found.filter((bytes) => bytes < 20_000_000).length, found.join(" ")).to.be.at.most(1);
		expect(Math.max(...found)).to.be.below(25_000_000);
	});

	it("never looks at what a link leads to that takes the place of a folder", async () => {
		const outside = mkdtempSync(join(tmpdir(), "atelier-outside-"));
		const inner = Array.from({ length: 300 }, (_, index) => `f${index}`);
		for (const name of inner) {
			mkdirSync(join(outside, name));
			mkdirSync(join(root, "a", name), { recursive: true });
			writeFileSync(join(outside, name, "big"), big.subarray(0, 100_000));
		}
		symlinkSync(outside, join(root, "link"));
		const end = await whileChanging(
			"const [from, to] = ++n % 2 ? ['a', 'link'] : ['link', 'a']; fs.renameSync(from, 'b'); fs.renameSync(to, from); fs.renameSync('b', to)",
		);
		const found = [];
		for (let times = 0; times < 10; times++) found.push((await size()).bytes);
		await end();
		rmSync(outside, { recursive: true });
		expect(Math.max(...found)).to.be.below(5_000_000);
	});

	it("says so when the time is over", async () => {
		for (let index = 0; index < 1_000; index++) writeFileSync(join(root, String(index)), "");
		expect(await size({ withinMs: -1 })).to.include({ partial: "time" });
	});

	it("says which folders cannot be read, and counts what has names of other bytes than UTF-8", async function () {
		const odd = pathIn(root, Buffer.from("caf\xe9", "latin1"));
		mkdirSync(odd);
		writeFileSync(pathIn(odd, Buffer.from("\xff", "latin1")), big);
		expect((await size()).bytes).to.be.above(1_000_000);
		if (process.getuid?.() === 0) return;
		mkdirSync(join(root, "closed"), { mode: 0o000 });
		const found = await size();
		chmodSync(join(root, "closed"), 0o700);
		expect(found).to.include({ hasUnreadable: true });
	});

	it("counts a file that was removed and that a process of the session has still open", async () => {
		const script = `
			const file = fs.openSync("big", "w");
			fs.writeSync(file, Buffer.alloc(1e6, "x"));
			fs.openSync("big");
			fs.rmSync("big");
			fs.openSync("named", "w");
			console.log("open");
			process.stdin.resume();`;
		const holder = spawn(process.execPath, ["-e", script], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
		try {
			await once(holder.stdout, "data");
			const openedBy = { pids: [holder.pid ?? 0] };
			expect((await size()).bytes).to.be.below(500_000);
			expect((await size({ openedBy })).bytes).to.be.within(1_000_000, 1_500_000);
			expect((await size({ openedBy }, [join(root, "absent")])).bytes, "no folder, no disk").to.equal(0);
		} finally {
			const ended = once(holder, "close");
			holder.stdin.end();
			await ended;
		}
	});

	it("throws when it is given up, and goes on with others, also at the same time", async () => {
		const giveUp = new AbortController();
		const measuring = size({ signal: giveUp.signal });
		giveUp.abort(new Error("It ends"));
		const error = await measuring.catch((reason: unknown) => reason);
		expect(error).to.be.an("error").with.property("message", "It ends");
		writeFileSync(join(root, "big"), big);
		const both = await Promise.all([size(), size()]);
		for (const { bytes } of both) expect(bytes).to.be.above(1_000_000);
	});
});
