import { expect } from "chai";
import { EngineAway } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { absentEngine } from "#services/pod-manager/pod-runtimes/containers/reasons/absent-engine.ts";

const socket = "/var/run/docker.sock";

function away(code?: string): EngineAway {
	return new EngineAway("It does not answer", code && Object.assign(new Error(code), { code }));
}

describe("absentEngine()", () => {
	for (const code of ["ENOENT", "ECONNREFUSED", "EACCES"])
		it(`names the key of the socket after ${code}`, () => {
			expect(absentEngine(socket, away(code), {}))
				.to.include('"pods.runtime.kwargs.socket"')
				.and.not.include("DOCKER_HOST");
		});

	it("is nothing for an engine that answers late, and for other errors", () => {
		for (const error of [away(), new Error("ENOENT")]) expect(absentEngine(socket, error, {})).to.equal(undefined);
	});

	it("says that DOCKER_HOST is not read where it names another engine", () => {
		const said = (DOCKER_HOST: string) => absentEngine(socket, away("ENOENT"), { DOCKER_HOST });
		expect(said("unix:///run/user/1000/docker.sock"))
			.to.include("DOCKER_HOST is set and is not read")
			.and.include('its socket is "/run/user/1000/docker.sock"');
		expect(said("tcp://user:secret@10.0.0.1:2375")).to.include("by a Unix socket only").and.not.include("secret");
		expect(said(`unix://${socket}`)).to.not.include("DOCKER_HOST");
	});
});
