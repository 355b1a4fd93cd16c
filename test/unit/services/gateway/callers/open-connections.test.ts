import { expect } from "chai";
import { anonymous } from "#shared/bus/principal.ts";
import { stream } from "#shared/contracts/stream.ts";
import { UnauthorizedError } from "#shared/errors.ts";
import { OpenConnections } from "#services/gateway/callers/open-connections.ts";

const action = stream.actions.open;

describe("OpenConnections", () => {
	it("ends those whose caller may not use them any more, once", async () => {
		const revoked = new Set<unknown>();
		const authenticate = async ({ headers }: { headers: { authorization?: string | undefined } }) => {
			if (revoked.has(headers.authorization)) throw new UnauthorizedError();
			return anonymous;
		};
		const connections = new OpenConnections({ authenticate }, 3_600_000);
		const ended: string[] = [];
		const open = (name: string, authorization?: string) => {
			const headers = authorization === undefined ? {} : { authorization };
			return connections.add({
				claim: { headers, connection: {}, path: {} },
				action,
				end: () => void ended.push(name),
			});
		};
		for (let i = 0; i < 200; i++) open(`good ${i}`, "Bearer good");
		open("bad", "Bearer bad");
		open("closed", "Bearer bad")();
		open("of this machine");
		await connections.check();
		expect(ended).to.deep.equal([]);
		revoked.add("Bearer bad").add(undefined);
		await connections.check();
		await connections.check();
		expect(ended).to.deep.equal(["bad"]);
		await connections.stop();
	});
});
