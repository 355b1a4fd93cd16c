import { expect } from "chai";
import { deliveredEntrypoint } from "#shared/wire/agents/delivered-agent.ts";
import { imageRefusal } from "#services/pod-manager/pod-runtimes/containers/images/image-refusal.ts";
import { inspectedContainer } from "#services/pod-manager/pod-runtimes/containers/inspected-container.ts";

/** Returns what is said of a container that has ended with this code. */
function saidOf(ExitCode: number, Entrypoint: readonly string[] | null, Error = ""): string | undefined {
	const at = "2026-01-01T00:00:00Z";
	const State = { Status: "exited", OOMKilled: false, ExitCode, Error, StartedAt: at, FinishedAt: at };
	return imageRefusal(
		inspectedContainer({ Id: "1", Name: "/a", Created: at, State, Config: { Labels: null, Entrypoint } }),
	)?.message;
}

describe("imageRefusal()", () => {
	it("says what an image of somebody else lacks", () => {
		expect(saidOf(78, deliveredEntrypoint)).to.equal("The image has no git, which sessions need");
		expect(saidOf(79, deliveredEntrypoint)).to.include("2.39");
		expect(saidOf(127, deliveredEntrypoint, `exec: "/bin/sh": stat /bin/sh: no such file or directory`)).to.include(
			"no sh",
		);
		expect(saidOf(1, deliveredEntrypoint)).to.equal(undefined);
	});

	it("takes the same code of the image of sessions for another reason", () => {
		expect(saidOf(78, ["tini", "--", "node"])).to.equal(undefined);
		expect(saidOf(78, null)).to.equal(undefined);
	});
});
