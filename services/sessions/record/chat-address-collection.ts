/** The address of the gateway that the chats of all sessions are said to be at. */
import { defineCollection } from "#shared/store/collection.ts";

/** One document, `gateway`. */
export const chatAddressCollection = defineCollection("chat_address", { base: "text" }, {});
