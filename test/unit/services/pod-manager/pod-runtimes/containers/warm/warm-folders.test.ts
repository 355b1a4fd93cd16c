import { expect } from "chai";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WarmFolders } from "#services/pod-manager/pod-runtimes/containers/warm/warm-folders.ts";
import { Trash } from "#services/pod-manager/pod-runtimes/machine/trash.ts";

describe("WarmFolders.move", () => {
	const name = "0123456789abcdef";
	let dataDir: string;

	beforeEach(() => {
		dataDir = mkdtempSync(join(tmpdir(), "atelier-warm-folders-"));
	});
	afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

	const trash = () => new Trash(join(dataDir, "run", ".trash"));
	const launch = () => join(dataDir, "run", "session-g1");
	const places = () => ({
		platform: join(launch(), "in"),
		agent: join(launch(), "out"),
		files: join(dataDir, "sessions", "session"),
	});

	/** Makes the folders of a container, each with a file, and in their places what an earlier attempt has left. */
	async function contested(folders: WarmFolders): Promise<void> {
		const made = await folders.make(name);
		for (const folder of Object.values(made)) writeFileSync(join(folder, "of-the-container"), "");
		for (const folder of [places().platform, places().agent]) {
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, "left"), "");
		}
	}

	function expectMoved(): void {
		for (const folder of Object.values(places())) expect(readdirSync(folder)).to.include("of-the-container");
		for (const folder of [places().platform, places().agent]) expect(readdirSync(folder)).not.to.include("left");
		expect(existsSync(join(dataDir, "run", ".warm", name))).to.equal(false);
	}

	it("replaces what an earlier attempt has left at the places of sockets", async () => {
		const folders = new WarmFolders(dataDir, trash());
		await contested(folders);
		await folders.move(name, places());
		expectMoved();
		await folders.move(name, places());
		expectMoved();
	});

	for (const place of ["agent", "platform"] as const)
		it(`leaves the ${place}'s folder that another process moves at the same time and listens in`, async () => {
			const other = new WarmFolders(dataDir, trash());
			const real = trash();
			const slow = {
				async discard(path: string) {
					if (existsSync(other.placesOf(name)[place])) {
						await other.move(name, places());
						writeFileSync(join(places()[place], "api.sock"), "");
					}
					await real.discard(path);
				},
			};
			await contested(other);
			if (place === "platform") rmSync(places().agent, { recursive: true });
			await new WarmFolders(dataDir, slow as never).move(name, places());
			expectMoved();
			expect(readdirSync(places()[place])).to.include("api.sock");
		});
});
