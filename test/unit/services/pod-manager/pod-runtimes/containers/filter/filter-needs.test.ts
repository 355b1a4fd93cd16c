import { expect } from "chai";
import type { FilterStatement } from "#shared/wire/engine/filter-statement.ts";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import {
	type FilterFindings,
	filterFindings,
} from "#services/pod-manager/pod-runtimes/containers/filter/filter-needs.ts";

describe("filterFindings()", () => {
	const right: FilterStatement = {
		installation: "0123456789abcdef",
		data_dir: "/var/lib/atelier",
		images: ["atelier/session", "python:3"],
		owner: 231_001,
		max_memory_mb: 16_384,
	};
	const settings = containersSettings({ socket: "/run/f.sock", images: ["python:3"], max_memory_mb: 16_384 });
	const host = { dataDir: "/var/lib/atelier", realDataDir: "/var/lib/atelier", installation: "0123456789abcdef" };
	const found = (said: Partial<FilterStatement>, of: object = {}): FilterFindings =>
		filterFindings({ ...right, ...said }, settings, { ...host, ...of });

	it("finds nothing at the filter of this platform, and nothing about an id that nobody knows yet", () => {
		expect(found({})).to.deep.equal({ unusable: undefined, lesser: undefined });
		expect(found({ installation: "other" }, { installation: undefined }).unusable).to.equal(undefined);
	});

	for (const [said, change] of [
		[{ installation: "other" }, "change its --installation from other to 0123456789abcdef"],
		[{ data_dir: "/srv/atelier" }, "change its --data-dir from /srv/atelier to /var/lib/atelier"],
		[{ images: ["python:3"] }, "make --image atelier/session its first --image, which is python:3 now"],
		[{ owner: 1_001 }, "change its --owner from 1001 to 231001"],
		[{ max_memory_mb: 2_048 }, "change its --max-memory-mb from 2048 to 4096"],
	] as const)
		it(`names the option with which no session runs: ${change}`, () => {
			expect(found(said).unusable).to.include(change).and.include('"/run/f.sock"').and.include("restart it");
		});

	it("names all of them in one sentence", () => {
		const { unusable = "" } = found({ installation: "other", owner: 1 });
		expect(unusable).to.include("--installation").and.include("--owner");
	});

	it("names the platform's own setting where its folder leads through a link", () => {
		const { unusable = "" } = found({}, { dataDir: "/data" });
		expect(unusable)
			.to.include("set the platform's data_dir (DATA_DIR) to /var/lib/atelier")
			.and.not.include("--data-dir");
	});

	it("names what only some sessions would miss, and lets the others run", () => {
		const { unusable, lesser = "" } = found({ images: ["atelier/session"], max_memory_mb: 8_192 });
		expect(unusable).to.equal(undefined);
		expect(lesser)
			.to.include("add --image python:3 to its options")
			.and.include("change its --max-memory-mb from 8192 to 16384")
			.and.include("max_memory_mb to 8192");
	});
});
