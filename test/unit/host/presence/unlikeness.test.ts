import { expect } from "chai";
import type { ProcessEntry } from "#shared/contracts/processes.ts";
import { clockSentence, unlikeness } from "#host/presence/unlikeness.ts";

function entry(more: Partial<ProcessEntry> = {}): ProcessEntry {
	return {
		id: "other",
		machine_name: "one",
		machine: "m-1",
		services: ["gateway", "stream"],
		release: "r-1",
		always: { "installation key": "k-1" },
		alike: { models: "models-1", templates: "templates-1" },
		lone: {},
		...more,
	};
}

const sentenceFor = (own: Partial<ProcessEntry>, other: Partial<ProcessEntry>) =>
	unlikeness(entry({ id: "own", ...own }), [entry(other)]).conflict?.sentence;
const place = (host: string, isReachable = false) => ({ place: { host, isReachable } });

describe("unlikeness()", () => {
	it("finds nothing between processes that are alike, and none beside a process alone", () => {
		expect(unlikeness(entry(), [entry(), entry({ machine: "m-2" })])).to.deep.equal({ shortcomings: [] });
		expect(unlikeness(entry(), [])).to.deep.equal({ shortcomings: [] });
	});

	it("refuses another installation key, of every release", () => {
		const other = { always: { "installation key": "k-2" } };
		for (const release of ["r-1", "r-2"])
			expect(sentenceFor({ release }, other)).to.include("installation key").and.to.include('gateway, stream on "one"');
	});

	it("refuses other models and templates of one release, and tells about them during an update", () => {
		for (const name of ["models", "templates"]) {
			const other = { alike: { ...entry().alike, [name]: "new" } };
			expect(sentenceFor({}, other)).to.include(`other ${name}`).and.to.include("processes.rollout");
			const { conflict, shortcomings } = unlikeness(entry(), [entry({ ...other, release: "r-2" })]);
			expect(conflict).to.equal(undefined);
			expect(shortcomings).to.have.length(1);
			expect(shortcomings[0]).to.include(`other ${name}`);
		}
	});

	it("refuses two hosts with local pods unless both can be reached, and one data folder on two machines", () => {
		expect(sentenceFor(place("a"), place("b"))).to.include("listen_host");
		expect(sentenceFor(place("a", true), place("b"))).to.include("listen_host");
		expect(sentenceFor(place("a", true), place("b", true))).to.equal(undefined);
		expect(sentenceFor(place("a"), place("a")), "two pod managers of one host").to.equal(undefined);
		expect(sentenceFor(place("a"), { ...place("a"), machine: "m-2" })).to.include("data folder");
		expect(sentenceFor(place("a"), {})).to.equal(undefined);
	});

	it("refuses a second process with a store in its memory, of every release, and nobody beside one with a shared store", () => {
		const secrets = { lone: { "secrets of users": "process" } } as const;
		for (const release of ["r-1", "r-2"])
			expect(sentenceFor({ ...secrets, release }, secrets))
				.to.include("their own secrets of users in memory")
				.and.to.include('gateway, stream on "one"');
		expect(sentenceFor({ lone: { "secrets of users": "host" } }, secrets)).to.include("in memory");
		expect(sentenceFor(secrets, {})).to.equal(undefined);
		expect(sentenceFor(secrets, { lone: { credentials: "host" } })).to.equal(undefined);
	});

	it("tells about stores that do not reach the other machine", () => {
		const told = (own: Partial<ProcessEntry>, other: Partial<ProcessEntry>) =>
			unlikeness(entry(own), [entry(other)]).shortcomings.length;
		const files = { lone: { credentials: "host" } } as const;
		expect(told({ ...files, machine: "m-2" }, {})).to.equal(0);
		expect(told(files, files)).to.equal(0);
		expect(told(files, { ...files, machine: "m-2" })).to.equal(1);
	});
});

describe("clockSentence()", () => {
	it("allows two seconds in both directions", () => {
		expect([2_000, 0, -2_000].map(clockSentence)).to.deep.equal([undefined, undefined, undefined]);
		expect(clockSentence(2_400)).to.include("2.4 s ahead of");
		expect(clockSentence(-61_000)).to.include("61.0 s behind");
	});
});
