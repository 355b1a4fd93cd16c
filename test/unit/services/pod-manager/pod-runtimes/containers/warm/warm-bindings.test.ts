import { expect } from "chai";
import { EngineAway } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { WarmBindings } from "#services/pod-manager/pod-runtimes/containers/warm/warm-bindings.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";

const launch = { sessionId: "0b2c", generation: 1 };

describe("WarmBindings.finish", () => {
	it("is done once when it is asked for twice at a time, so that the door of the first one stays open", async () => {
		const name = "0123456789abcdef";
		let names = [name];
		let closed = 0;
		const bindings = new WarmBindings({
			warm: { isOwn: () => false },
			folders: { names: async () => names, move: async () => void (names = []) },
			containers: { inspect: async () => ({ Config: { Labels: { "atelier.warm": name } } }) },
			doors: { foldersOf: () => ({}), close: async () => void (closed += 1) },
			runs: { create: async () => {} },
			sessions: { whole: () => "" },
		} as never);
		await Promise.all([bindings.finish(launch), bindings.finish(launch)]);
		expect([names, closed]).to.deep.equal([[], 1]);
	});
});

describe("the trouble of WarmBindings", () => {
	/** Bindings that meet this failure when they look for the container of a launch. */
	function failing(failure: Error): WarmBindings {
		return new WarmBindings({
			warm: { isOwn: () => false },
			folders: { names: async () => ["0123456789abcdef"] },
			containers: { inspect: () => Promise.reject(failure) },
		} as never);
	}

	it("says what keeps the folders from their session, until the launch is not there any more", async () => {
		const bindings = failing(new Error("the disk is full"));
		expect(await failureOf(bindings.finish(launch))).to.be.an("error");
		expect(bindings.trouble).to.include('"session-0b2c-g1"').and.include("the disk is full");
		bindings.forgetOthers([{ ...launch, generation: 2 }, launch]);
		expect(bindings.trouble).to.be.a("string");
		bindings.forgetOthers([{ ...launch, generation: 2 }]);
		expect(bindings.trouble).to.equal(undefined);
	});

	it("is none while the engine is away, which others tell", async () => {
		const bindings = failing(new EngineAway("/var/run/docker.sock", new Error("nobody listens")));
		expect(await failureOf(bindings.finish(launch))).to.be.instanceOf(EngineAway);
		expect(bindings.trouble).to.equal(undefined);
	});
});
