import { expect } from "chai";
import { EngineAway } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { WarmBindings } from "#services/pod-manager/pod-runtimes/containers/warm/warm-bindings.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";

describe("the trouble of WarmBindings", () => {
	const launch = { sessionId: "0b2c", generation: 1 };

	/** Bindings that meet this failure when they look for the container of a launch. */
	function failing(failure: Error): WarmBindings {
		return new WarmBindings({
			warm: { isOwn: () => false },
			folders: { names: async () => ["0123456789abcdef"] },
			containers: { inspect: () => Promise.reject(failure) },
		} as never);
	}

	it("says what keeps the folders from their session, until the launch is forgotten", async () => {
		const bindings = failing(new Error("the disk is full"));
		expect(await failureOf(bindings.finish(launch))).to.be.an("error");
		expect(bindings.trouble).to.include('"session-0b2c-g1"').and.include("the disk is full");
		bindings.forget(launch);
		expect(bindings.trouble).to.equal(undefined);
	});

	it("is none while the engine is away, which others tell", async () => {
		const bindings = failing(new EngineAway("/var/run/docker.sock", new Error("nobody listens")));
		expect(await failureOf(bindings.finish(launch))).to.be.instanceOf(EngineAway);
		expect(bindings.trouble).to.equal(undefined);
	});
});
