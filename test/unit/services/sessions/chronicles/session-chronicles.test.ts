import { expect } from "chai";
import { chainOf } from "#services/sessions/chronicles/session-chronicles.ts";
import { fitsJson } from "#shared/base/schema/json-size.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";

describe("chainOf()", () => {
	it("returns the newest that fit one answer (M2)", async () => {
		const link = (n: number) => ({
			id: String(n),
			wire: JSON.stringify({ id: n, summary: '"'.repeat(20_000) }),
			...(n > 0 && { parent: String(n - 1) }),
		});
		const chain = await chainOf(link(60), async (id) => link(Number(id)));
		expect(chain.length).to.be.within(5, 59);
		expect(chain.at(-1)).to.include({ id: 60 });
		expect(fitsJson(chain, maxMessageBytes)).to.equal(true);
		expect(await chainOf(link(3), async (id) => link(Number(id)))).to.have.length(4);
	});
});
