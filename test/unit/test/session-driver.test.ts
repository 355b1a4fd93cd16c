/** The client of one session knows that commands of another client may have changed it. */
import { expect } from "chai";
import { createServer } from "node:http";
import { Random } from "../../faults/random.ts";
import { SessionDriver } from "../../faults/session-driver.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../support/machine/loopback-server.ts";

describe("the client of one session", () => {
	it("expects either state when another one archives while the answer to a restore is awaited", async () => {
		const ending = new AbortController();
		const server = createServer((request, response) => {
			request.resume();
			if (!request.url?.endsWith("/restore")) return response.writeHead(409).end("{}");
			// Another client's command was begun after this one, and is answered before it.
			driver.archivedByOther(performance.now());
			ending.abort();
			return response.writeHead(200).end("{}");
		});
		await listenOnLoopback(server);
		const driver = new SessionDriver(new ApiClient(loopbackUrl(server)), new Random(1), "one", "");
		driver.crowd = 1;
		driver.id = "one";
		driver.wanted = "archived";
		try {
			await driver.run(ending.signal);
		} finally {
			await closeAtOnce(server);
		}
		expect({ wanted: driver.wanted, mayBeArchived: driver.mayBeArchived }).to.deep.equal({
			wanted: "stopped",
			mayBeArchived: true,
		});
	});
});
