/** The stored secrets of users: one document for each user, whose text is a list of {@link SealedSecret}. */
import { settingCollection } from "../record/setting-collection.ts";

export const secretCollection = settingCollection("user_secrets");
