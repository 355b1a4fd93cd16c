import { expect } from "chai";
import { podAddress } from "#services/sessions/pod/pod-address.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { sessionRecord } from "../../../../support/platform/session-record.ts";

describe("podAddress()", () => {
	const key = new InstallationKey(Buffer.alloc(32, 7));

	it("is where the pod listens, with the key of this launch", () => {
		const address = "http://127.0.0.1:40123";
		const read = (generation: number) =>
			podAddress(sessionRecord({ columns: { address }, members: { generation } }), key);
		const { id } = sessionRecord().session;
		expect(read(2)).to.deep.equal({ sessionId: id, generation: 2, url: address, key: key.platformKey(id, 2) });
		expect(read(2).key).not.to.equal(read(3).key);
	});

	it("is not found when no pod listens", () => {
		expect(() => podAddress(sessionRecord({ status: "stopped" }), key))
			.to.throw(NotFoundError, "is stopped and has no pod")
			.with.property("type", "POD_ABSENT");
	});
});
