/** A session agent at a Unix socket answers under the name of the host at which others reach it, and under no other name. */
import { expect } from "chai";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { join } from "node:path";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("the host of a session agent behind a bridge", () => {
	it("is loopback, and the one that the launch names", async () => {
		await using session = new TestSession();
		const socketPath = join(session.folder, "agent.sock");
		const pod = await session.start({ listen_socket: socketPath, listen_host: "pod-manager" });
		const statusFor = async (host: string): Promise<number | undefined> => {
			const headers = { host, authorization: `Bearer ${pod.launch.platform_key}` };
			const outgoing = httpRequest({ socketPath, path: "/ready", headers });
			outgoing.end();
			const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
			answer.resume();
			return answer.statusCode;
		};
		expect(await statusFor("pod-manager:40123")).to.equal(200);
		expect(await statusFor("127.0.0.1:40123")).to.equal(200);
		expect(await statusFor("evil.example:40123")).to.equal(403);
	});
});
