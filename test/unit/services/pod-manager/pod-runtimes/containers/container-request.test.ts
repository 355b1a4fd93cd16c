import { expect } from "chai";
import {
	containerRequest,
	type ContainerPlan,
} from "#services/pod-manager/pod-runtimes/containers/container-request.ts";

const plan: ContainerPlan = {
	sessionId: "3f0c2a11-0000-4000-8000-000000000001",
	generation: 1,
	installation: "i",
	workspaceId: "w",
	image: "own",
	delivery: "/data/cache/session-agent/1",
	user: 231_001,
	limits: { memoryBytes: 2 ** 30, nanoCpus: 1e9, processes: 100, temporaryBytes: 1_048_576 },
	folders: { platform: "/p", agent: "/a", workspace: "/w", records: "/r" },
	env: {},
};

describe("containerRequest()", () => {
	it("bounds the volumes of an image, and leaves the platform's own places to the platform", () => {
		const volumes = ["/var/lib/data", "/tmp/", "/session", "/opt/atelier", "/run/atelier/in"];
		const { HostConfig } = containerRequest({ ...plan, volumes }) as { HostConfig: { Tmpfs: Record<string, string> } };
		expect(Object.keys(HostConfig.Tmpfs).toSorted()).to.deep.equal(["/home/agent", "/tmp", "/var/lib/data"]);
		expect(HostConfig.Tmpfs["/var/lib/data"]).to.include("size=1048576");
	});

	it("gives an image of others the names of the session's user, and the own one nothing", () => {
		const mountsOf = (one: ContainerPlan) => {
			const { HostConfig } = containerRequest(one) as { HostConfig: { Mounts: Record<string, unknown>[] } };
			return HostConfig.Mounts.filter(({ Target }) => String(Target).startsWith("/etc"));
		};
		const mount = (path: string) => ({
			Type: "bind",
			Source: `/data/cache/session-agent/1${path}`,
			Target: path,
			ReadOnly: true,
		});
		expect(mountsOf(plan)).to.deep.equal([mount("/etc/passwd"), mount("/etc/group")]);
		expect(mountsOf({ ...plan, delivery: undefined })).to.deep.equal([]);
	});
});
